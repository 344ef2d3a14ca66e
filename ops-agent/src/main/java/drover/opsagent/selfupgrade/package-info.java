/**
 * Upgrade of the agent itself: the directory of its versions, its own jar and process, the
 * self-test of a version, and the start and stop of a successor. Start with {@link
 * drover.opsagent.selfupgrade.AgentPackaging}, then {@link
 * drover.opsagent.selfupgrade.AgentVersionsDirectory} and {@link
 * drover.opsagent.selfupgrade.SuccessorAgents}. {@code plan} decides the handover. Must not depend
 * on {@code engine} or {@code peers}.
 */
@NullMarked
package drover.opsagent.selfupgrade;

import org.jspecify.annotations.NullMarked;
