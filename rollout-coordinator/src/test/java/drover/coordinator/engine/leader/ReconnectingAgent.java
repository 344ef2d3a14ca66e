package drover.coordinator.engine.leader;

import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.UpgradePhase;
import java.util.LinkedHashSet;
import java.util.Set;

/** An agent that loses its connection at a certain point of its first work, and returns. */
final class ReconnectingAgent extends ScriptedAgent {
    /** Where it was when it was heard last. */
    enum Left {
        /** Its work never reached it. */
        NEVER_RECEIVED,
        /** The old program ran untouched; back again, it goes on and succeeds. */
        PREPARING,
        /** Files were being replaced; when it is back it has gone back to the old version. */
        MUTATING,
        /** It was at work; it succeeded while nobody heard it. */
        FINISHED_OFFLINE
    }

    private final Left left;
    private final Set<String> received = new LinkedHashSet<>();
    private boolean returned;

    ReconnectingAgent(NodeId id, Left left, VirtualTimeTerm term) {
        super(id, term);
        this.left = left;
    }

    /** What it has been sent since its return, each thing once. */
    Set<String> receivedMessages() {
        return received;
    }

    @Override
    void receive(MessageToNode delivery) {
        if (returned) {
            received.add(
                    switch (delivery) {
                        case MessageToNode.Command command ->
                                (command.restore() ? "restore " : "upgrade ")
                                        + TermFixture.body(command).getAttempt();
                        case MessageToNode.StopOldAgent stop -> "stop " + stop.attempt();
                        case MessageToNode.Withdraw withdraw -> "withdraw " + withdraw.through();
                    });
        }
        super.receive(delivery);
    }

    @Override
    void upgrade(long attempt) {
        if (returned) {
            finish(attempt);
            return;
        }
        switch (left) {
            case NEVER_RECEIVED -> {}
            case PREPARING, FINISHED_OFFLINE -> start(attempt, UpgradePhase.PREPARING);
            case MUTATING -> start(attempt, UpgradePhase.MUTATING);
        }
        leave();
    }

    @Override
    void work() {}

    /** It dials in again; its Hello tells its latest status. */
    void comeBack() {
        returned = true;
        upgraded = left == Left.FINISHED_OFFLINE;
        switch (left) {
            case NEVER_RECEIVED -> {}
            case PREPARING -> start(1, UpgradePhase.PREPARING);
            case MUTATING -> send(1, AttemptOutcome.FAILED);
            case FINISHED_OFFLINE -> send(1, AttemptOutcome.SUCCEEDED);
        }
        connect("session-2");
    }

    /** What it was preparing when it left, it now finishes. */
    void goOn() {
        if (left == Left.PREPARING) {
            finish(1);
        }
    }
}
