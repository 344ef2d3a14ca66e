/**
 * gRPC service for nodes. Start with {@link drover.coordinator.api.node.NodeGrpcService}
 * (requests), then {@link drover.coordinator.api.node.NodeQueries}, which collects the reasons for
 * the state of a node. The package makes no decisions, contains no SQL and reads stores only
 * through their {@code *Views}.
 */
@NullMarked
package drover.coordinator.api.node;

import org.jspecify.annotations.NullMarked;
