/**
 * Tests of metrics, alerts and traces of a deployment. Start with {@link
 * drover.system.telemetry.MetricsIT}, then {@link drover.system.telemetry.TraceIT}.
 */
@NullMarked
package drover.system.telemetry;

import org.jspecify.annotations.NullMarked;
