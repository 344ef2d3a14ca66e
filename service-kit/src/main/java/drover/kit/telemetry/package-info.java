/**
 * Sends ended spans to whoever collects traces, and shows metrics to whoever scrapes them. Start
 * with {@link drover.kit.telemetry.TraceExporters}, which reads the standard environment variables,
 * and {@link drover.kit.telemetry.Metrics}. Knows nothing of rollouts, and is the only package that
 * knows the OpenTelemetry SDK.
 */
@NullMarked
package drover.kit.telemetry;

import org.jspecify.annotations.NullMarked;
