/** Tests of the package with the same name. */
@NullMarked
package drover.gateway.engine;

import org.jspecify.annotations.NullMarked;
