/** Tests of the package with the same name. */
@NullMarked
package drover.gateway.session;

import org.jspecify.annotations.NullMarked;
