/**
 * Tests of agents in a complete deployment: their archive, upgrade, preparation, runtimes,
 * downloads and hostile messages. Start with {@link drover.system.agent.AgentUpgradeRolloutIT},
 * then {@link drover.system.agent.DebianProgramsIT}.
 */
@NullMarked
package drover.system.agent;

import org.jspecify.annotations.NullMarked;
