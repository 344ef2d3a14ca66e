/**
 * Requests about nodes, and the closing of attempts of retired or cleared nodes. Start with {@link
 * drover.coordinator.store.node.OperatorNodeRequestStore} (every replica), then {@link
 * drover.coordinator.store.node.LeaderOperatorNodeRequestStore} (under the fence). Depends on the
 * pure packages and Jdbi, and must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.node;

import org.jspecify.annotations.NullMarked;
