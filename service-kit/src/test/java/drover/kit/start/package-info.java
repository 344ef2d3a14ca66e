/** Tests of starting a service as a program. */
@NullMarked
package drover.kit.start;

import org.jspecify.annotations.NullMarked;
