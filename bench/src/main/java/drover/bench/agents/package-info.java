/**
 * Thousands of real agents on simulated nodes, in a process of their own. Start reading at {@link
 * drover.bench.agents.AgentsMain}. Knows the agent and nothing of the control plane.
 */
@NullMarked
package drover.bench.agents;

import org.jspecify.annotations.NullMarked;
