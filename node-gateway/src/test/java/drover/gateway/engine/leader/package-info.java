/**
 * Tests of locked nodes that the gateway reports to the leader. Start with {@link
 * drover.gateway.engine.leader.LockedNodesTest}.
 */
@NullMarked
package drover.gateway.engine.leader;

import org.jspecify.annotations.NullMarked;
