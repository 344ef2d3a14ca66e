/** Tests of measured durations. */
@NullMarked
package drover.coordinator.metrics;

import org.jspecify.annotations.NullMarked;
