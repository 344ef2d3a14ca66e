/** Tests of telemetry. */
@NullMarked
package drover.kit.telemetry;

import org.jspecify.annotations.NullMarked;
