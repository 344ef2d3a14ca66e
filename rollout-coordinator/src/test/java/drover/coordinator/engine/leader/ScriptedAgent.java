package drover.coordinator.engine.leader;

import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.observed.NodeView;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.UpgradePhase;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.util.Map;
import java.util.Set;

/** An agent under a virtual clock; how it takes an upgrade is its own story. */
abstract class ScriptedAgent {
    final NodeId id;
    final VirtualTimeTerm term;
    boolean connected = true;
    boolean upgraded;
    private String session = "session-1";
    private long floor;

    ScriptedAgent(NodeId id, VirtualTimeTerm term) {
        this.id = id;
        this.term = term;
    }

    /** It is told to upgrade. */
    abstract void upgrade(long attempt);

    /** Time has passed. */
    abstract void work();

    void receive(MessageToNode delivery) {
        switch (delivery) {
            case MessageToNode.Command command -> {
                long attempt = TermFixture.body(command).getAttempt();
                if (command.restore()) {
                    restore(attempt);
                } else {
                    upgrade(attempt);
                }
            }
            case MessageToNode.StopOldAgent stop ->
                    throw new AssertionError("Nobody hands over: " + stop);
            case MessageToNode.Withdraw withdraw -> {
                if (floor < withdraw.through()) { // what began ends by itself, and says how
                    send(withdraw.through(), AttemptOutcome.WITHDRAWN);
                }
            }
        }
    }

    private void restore(long attempt) {
        upgraded = false;
        send(attempt, AttemptOutcome.RESTORED);
        term.present(this);
    }

    void start(long attempt, UpgradePhase phase) {
        floor = Math.max(floor, attempt);
        term.report(this, attempt, AttemptOutcome.IN_PROGRESS, phase);
    }

    void finish(long attempt) {
        upgraded = true;
        send(attempt, AttemptOutcome.SUCCEEDED);
        term.present(this); // what runs has changed, so its gateway tells it anew
    }

    void send(long attempt, AttemptOutcome outcome) {
        floor = Math.max(floor, attempt);
        term.report(this, attempt, outcome, UpgradePhase.VERIFYING);
    }

    void leave() {
        connected = false;
        term.disconnected(this);
    }

    void connect(String newSession) {
        connected = true;
        session = newSession;
        term.present(this);
    }

    Digest digest() {
        return upgraded ? SampleRollout.NEW : SampleRollout.OLD;
    }

    Digest config() {
        return upgraded ? SampleRollout.NEW_CONFIG : SampleRollout.OLD_CONFIG;
    }

    /** As its gateway tells it; the floor alone is never told anew, it comes with statuses. */
    NodeView.Present present() {
        return new NodeView.Present(
                session,
                "process",
                Set.of("restore/1"),
                floor,
                Map.of(
                        new BinaryName("web"),
                        new NodeView.ProgramView(
                                new Version(upgraded ? "v2" : "v1"),
                                digest().value(),
                                config().value(),
                                true)));
    }
}
