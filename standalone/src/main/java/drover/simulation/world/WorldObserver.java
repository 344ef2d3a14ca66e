package drover.simulation.world;

import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.evaluator.assess.VerdictReport;
import drover.model.NodeId;
import drover.opsagent.disk.Disk;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.runtime.Processes;
import java.util.UUID;

/**
 * Receiver of everything that happens in a simulated world, in addition to the commits of its
 * store. The world knows no other type of the rules that check it.
 */
public interface WorldObserver extends InMemoryCoordinatorStore.CommitListener {
    /** A coordinator calls the store; it decides what is committed next. */
    void storeCalled(SimulatedCoordinator coordinator);

    /** An operator makes a request of a rollout. */
    void rolloutRequested(SimulatedWorld.OperatorRequestRecord requested);

    /** An operator makes a request of a group. */
    void groupRequested(UUID id, GroupRequest request, String actor);

    /** An operator retires a node. */
    void retirementRequested(NodeId node, UUID request);

    /** A leader sends a command, a stop or a withdrawal. */
    void deliverySent(MessageToNode delivery);

    /** A leader acknowledges a status. */
    void acknowledgementSent(StatusAcknowledgementToAgent acknowledgement);

    /** An agent publishes a status. */
    void statusPublished(NodeId node, AttemptStatus status);

    /** An agent starts. */
    void agentStarted(NodeId node);

    /**
     * A program is started.
     *
     * @param others number of processes of the same program that run already
     */
    void programStarted(
            NodeId node,
            SimulatedProgramDefinition product,
            Processes.LaunchRequest order,
            Disk disk,
            long others);

    /** An agent receives an acknowledgement. */
    void acknowledgementReceived(NodeId node, long attempt, long sequence);

    /** An evaluator sends a verdict. */
    void verdictReported(VerdictReport judgement);

    /** A part of the world finds a violation itself. */
    void violationFound(String what);
}
