package drover.gateway.engine;

import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.Relayed;
import java.util.Optional;

/**
 * An agent that has said hello.
 *
 * @param node from its credential
 * @param greeting what it said
 * @param status of its latest attempt, if it ever had one
 */
public record Arrival(
        NodeIdentity node,
        long incarnation,
        long dial,
        boolean executor,
        Inventory inventory,
        Relayed greeting,
        Optional<Report> status) {}
