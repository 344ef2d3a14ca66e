/** That the commands measure at all; what they measure is no matter of a build. */
@NullMarked
package drover.bench;

import org.jspecify.annotations.NullMarked;
