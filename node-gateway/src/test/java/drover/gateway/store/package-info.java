/** Tests of the package with the same name. */
@NullMarked
package drover.gateway.store;

import org.jspecify.annotations.NullMarked;
