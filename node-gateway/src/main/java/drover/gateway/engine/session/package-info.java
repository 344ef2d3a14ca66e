/**
 * Sessions of agents, and the latest message of each node. Start with {@link
 * drover.gateway.engine.session.SessionTable}, then {@link
 * drover.gateway.engine.session.AgentOutboxWriter}. Everything is in memory, and no agent blocks
 * another. Must not depend on generated messages or on another package of the engine.
 */
@NullMarked
package drover.gateway.engine.session;

import org.jspecify.annotations.NullMarked;
