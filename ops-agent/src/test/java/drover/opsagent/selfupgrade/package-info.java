/**
 * Tests of the upgrade of the agent itself, with real processes and under a real systemd. Start
 * with {@link drover.opsagent.selfupgrade.SelfUpgradeIT}, then {@link
 * drover.opsagent.selfupgrade.AgentVersionsDirectoryTest}.
 */
@NullMarked
package drover.opsagent.selfupgrade;

import org.jspecify.annotations.NullMarked;
