/** Tests of the package with the same name. */
@NullMarked
package drover.gateway;

import org.jspecify.annotations.NullMarked;
