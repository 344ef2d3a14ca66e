/**
 * What outlives a gateway: who the nodes are, what was on them last, and which gateways there are.
 * Start with {@link drover.gateway.store.NodeStore}. Must not know messages, streams or threads.
 */
@NullMarked
package drover.gateway.store;

import org.jspecify.annotations.NullMarked;
