/**
 * The attached leader, and the stream that sends it what changed. Start with {@link
 * drover.gateway.engine.leader.LeaderStreamWriter}, then {@link
 * drover.gateway.engine.leader.LeaderAttachment}. Must not depend on generated messages, the store
 * or credentials.
 */
@NullMarked
package drover.gateway.engine.leader;

import org.jspecify.annotations.NullMarked;
