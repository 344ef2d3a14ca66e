/**
 * Thousands of real agents on simulated nodes, in a separate process. Start with {@link
 * drover.bench.fleet.AgentsMain}, then {@link drover.bench.fleet.BenchNode}. Depends on the agent.
 * Must not depend on any service of the control plane.
 */
@NullMarked
package drover.bench.fleet;

import org.jspecify.annotations.NullMarked;
