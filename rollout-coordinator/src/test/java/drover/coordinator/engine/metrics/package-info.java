/** Tests of the coordinator's metrics. */
@NullMarked
package drover.coordinator.engine.metrics;

import org.jspecify.annotations.NullMarked;
