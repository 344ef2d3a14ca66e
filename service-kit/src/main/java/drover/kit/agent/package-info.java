/**
 * Limits of agent messages. Start with {@link drover.kit.agent.AgentMessageRepairingValidator}. The
 * gateway checks every message of an agent; coordinators and evaluators check again what a gateway
 * relays.
 */
@NullMarked
package drover.kit.agent;

import org.jspecify.annotations.NullMarked;
