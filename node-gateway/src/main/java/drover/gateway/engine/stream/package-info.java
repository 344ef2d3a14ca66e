/**
 * Streams to leaders and health-evaluators: the heartbeat feed, the set of changed nodes, and
 * batches of bounded size. Start with {@link drover.gateway.engine.stream.HeartbeatFeedWriter},
 * then {@link drover.gateway.engine.stream.DirtyNodes}. Must not depend on generated messages or on
 * {@code drover.gateway.engine.leader}.
 */
@NullMarked
package drover.gateway.engine.stream;

import org.jspecify.annotations.NullMarked;
