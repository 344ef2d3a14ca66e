/**
 * What an agent shows to Prometheus, by hand: a telemetry library would weigh more than the agent.
 * Start with {@link drover.opsagent.metrics.AgentMetrics}. Knows neither journals nor the network
 * of gateways; whoever does something tells it.
 */
@NullMarked
package drover.opsagent.metrics;

import org.jspecify.annotations.NullMarked;
