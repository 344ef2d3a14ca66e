package drover.gateway.engine.session;

import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.OpaqueMessage;
import java.util.Optional;

/**
 * An agent that has said hello.
 *
 * @param node from its credential
 * @param hello what it said
 * @param status of its latest attempt, if it ever had one
 */
public record AgentHello(
        NodeIdentity node,
        long incarnation,
        long connectionNumber,
        boolean executor,
        NodeInventory inventory,
        OpaqueMessage hello,
        Optional<ReceivedStatus> status) {}
