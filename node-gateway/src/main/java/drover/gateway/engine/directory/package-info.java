/**
 * The list of all nodes, and the writer of their inventories. Start with {@link
 * drover.gateway.engine.directory.StoredNodeDirectory}, then {@link
 * drover.gateway.engine.directory.InventoryAndLastSeenWriter}. Must not depend on generated
 * messages, credentials or streams.
 */
@NullMarked
package drover.gateway.engine.directory;

import org.jspecify.annotations.NullMarked;
