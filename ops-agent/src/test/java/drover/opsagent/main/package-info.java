/**
 * Tests of a complete agent, connected to a scripted gateway. Start with {@link
 * drover.opsagent.main.OpsAgentProcessIT}, then {@link drover.opsagent.main.ScriptedGateway}.
 */
@NullMarked
package drover.opsagent.main;

import org.jspecify.annotations.NullMarked;
