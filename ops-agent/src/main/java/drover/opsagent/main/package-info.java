/**
 * Assembly of the ops-agent: its main class, flags, commands and threads. Start with {@link
 * drover.opsagent.main.OpsAgent}, then {@link drover.opsagent.main.AgentCore} for what an agent
 * does without threads. It may depend on every other package of the agent. No package of the agent
 * may depend on it.
 */
@NullMarked
package drover.opsagent.main;

import org.jspecify.annotations.NullMarked;
