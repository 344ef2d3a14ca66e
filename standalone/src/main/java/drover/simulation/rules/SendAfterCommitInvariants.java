package drover.simulation.rules;

import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.CommandBody;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.model.NodeId;
import drover.simulation.world.SimulatedWorld;
import java.util.Arrays;

/**
 * What a leader sends was committed before: a leader that dies between the two has lost nothing and
 * promised nothing (C10, C14, A12).
 */
final class SendAfterCommitInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;

    SendAfterCommitInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void checkDelivery(MessageToNode delivery) {
        switch (delivery) {
            case MessageToNode.Command command -> checkCommand(command);
            case MessageToNode.StopOldAgent stop -> checkStop(stop.node(), stop.attempt());
            case MessageToNode.Withdraw withdraw ->
                    checkWithdrawal(withdraw.node(), withdraw.through());
        }
    }

    private void checkCommand(MessageToNode.Command command) {
        if (safety.isLatestEpoch(
                command.epoch())) { // one that stood still does not know yet, nor is it heard
            safety.retirements().requireNotRetired(command.node());
        }
        long attempt = attemptOf(command.body());
        byte[] stored = world.store.commandBody(command.node(), attempt);
        safety.recordViolationUnless(
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
    private void checkStop(NodeId node, long attempt) {
        boolean committed =
                world.store.rollouts().stream()
                        .map(rollout -> rollout.nodes().get(node))
                        .anyMatch(
                                upgrade ->
                                        upgrade != null
                                                && upgrade.attempt() == attempt
                                                && upgrade.handover()
                                                        instanceof Handover.SuccessorSeen);
        safety.recordViolationUnless(
                committed,
                "001: node " + node + " is told to stop in " + attempt + ", uncommitted");
    }

    /** Nobody withdraws what is still wanted. */
    private void checkWithdrawal(NodeId node, long through) {
        for (Rollout rollout : world.store.rollouts()) {
            NodeUpgrade upgrade = rollout.nodes().get(node);
            boolean wanted =
                    upgrade != null
                            && upgrade.attempt() == through
                            && !StateClassification.hasEnded(rollout)
                            && upgrade.state() instanceof NodeState.Assigned assigned
                            && !assigned.withdrawing();
            safety.recordViolationUnless(
                    !wanted,
                    "C10: node " + node + " is told not to begin " + through + ", uncommitted");
        }
    }

    void checkAcknowledgement(StatusAcknowledgementToAgent acknowledgement) {
        safety.recordViolationUnless(
                world.store.lastSequence(acknowledgement.node(), acknowledgement.attempt())
                        >= acknowledgement.sequence(),
                "C10: " + acknowledgement + " is sent and not committed");
    }
}
