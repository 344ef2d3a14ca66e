/**
 * Sends ended spans to whoever collects traces. Start with {@link drover.kit.telemetry.Spans},
 * which reads the standard environment variables. Knows nothing of rollouts, and is the only
 * package that knows the OpenTelemetry SDK.
 */
@NullMarked
package drover.kit.telemetry;

import org.jspecify.annotations.NullMarked;
