package drover.simulation.rules;

import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.CommandBody;
import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.model.NodeId;
import drover.simulation.world.World;
import java.util.Arrays;

/**
 * What a leader sends was committed before: a leader that dies between the two has lost nothing and
 * promised nothing (C10, C14, A12).
 */
final class SendRules {
    private final World world;
    private final SafetyInvariants safety;

    SendRules(World world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void sent(Delivery delivery) {
        switch (delivery) {
            case Delivery.Command command -> command(command);
            case Delivery.Stop stop -> stop(stop.node(), stop.attempt());
            case Delivery.Withdraw withdraw -> withdraw(withdraw.node(), withdraw.through());
        }
    }

    private void command(Delivery.Command command) {
        if (safety.leads(
                command.epoch())) { // one that stood still does not know yet, nor is it heard
            safety.retirements().workFor(command.node());
        }
        long attempt = attemptOf(command.body());
        byte[] stored = world.store.bodyOf(command.node(), attempt);
        safety.require(
                stored != null && Arrays.equals(stored, command.body()),
                "C10: node "
                        + command.node()
                        + " is sent attempt "
                        + attempt
                        + ", which is not committed as such");
    }

    private static long attemptOf(byte[] body) {
        try {
            return CommandBody.parseFrom(body).getAttempt();
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("A command is sent that nobody can read", e);
        }
    }

    /** An agent is told to go only by what is written down: that its successor was heard. */
    private void stop(NodeId node, long attempt) {
        boolean committed =
                world.store.rollouts().stream()
                        .map(rollout -> rollout.nodes().get(node))
                        .anyMatch(
                                upgrade ->
                                        upgrade != null
                                                && upgrade.attempt() == attempt
                                                && upgrade.handover()
                                                        instanceof Handover.SuccessorSeen);
        safety.require(
                committed,
                "001: node " + node + " is told to stop in " + attempt + ", uncommitted");
    }

    /** Nobody withdraws what is still wanted. */
    private void withdraw(NodeId node, long through) {
        for (Rollout rollout : world.store.rollouts()) {
            NodeUpgrade upgrade = rollout.nodes().get(node);
            boolean wanted =
                    upgrade != null
                            && upgrade.attempt() == through
                            && !StateFacts.hasEnded(rollout)
                            && upgrade.state() instanceof NodeState.Assigned assigned
                            && !assigned.withdrawing();
            safety.require(
                    !wanted,
                    "C10: node " + node + " is told not to begin " + through + ", uncommitted");
        }
    }

    void acknowledged(Acknowledgement acknowledgement) {
        safety.require(
                world.store.sequenceOf(acknowledgement.node(), acknowledgement.attempt())
                        >= acknowledgement.sequence(),
                "C10: " + acknowledgement + " is sent and not committed");
    }
}
