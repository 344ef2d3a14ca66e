package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.opsagent.journal.Journal;
import drover.opsagent.plan.AttemptDiagram;
import drover.opsagent.plan.AttemptDiagram.Move;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The agent that runs makes no move that docs/diagrams/attempt.mmd does not show. */
class AttemptStatusApplierTest {
    private final Set<Move> made = new TreeSet<>();
    private int agents = 100; // each with names of its own for its temporary files

    @Test
    @DisplayName("An upgrade, a falling one and a restore, stopped anywhere, move as drawn")
    void movesAsDrawn() {
        SimulatedNode upgraded = SimulatedNode.running(Map.of());
        runStoppedAnywhere(upgraded, SimulatedNode.upgrade(1));
        runStoppedAnywhere(
                SimulatedNode.running(Map.of(Digest.of(SimulatedNode.NEW), ProgramBehavior.FALLS)),
                SimulatedNode.upgrade(1));
        runStoppedAnywhere(upgraded, SimulatedNode.restore(2, 1));

        assertThat(AttemptDiagram.moves().keySet()).containsAll(made);
        assertThat(made)
                .contains(
                        new Move("start_node", "restore_stop_node"),
                        new Move("verify_target", "succeeded"),
                        new Move("verify_restored", "failed"),
                        new Move("verify_restored", "restored"));
    }

    private void runStoppedAnywhere(SimulatedNode node, CommandWithContents delivery) {
        for (Stopped at : run(node, delivery, null)) {
            run(at.node(), delivery, at.state());
        }
    }

    private record Stopped(SimulatedNode node, @Nullable String state) {}

    /** Runs to the end; gives the node as it was before each write, and where the attempt stood. */
    private List<Stopped> run(
            SimulatedNode node, CommandWithContents delivery, @Nullable String from) {
        List<Stopped> stopped = new ArrayList<>();
        long attempt = delivery.command().attempt();
        SimulatedNode.Agent agent = node.agent(++agents);
        String[] last = {from};
        node.disk.setWriteHook(
                () -> {
                    note(last, agent.journal(attempt));
                    if (from == null) {
                        stopped.add(new Stopped(node.snapshot(), last[0]));
                    }
                });
        agent.boot().processor.process(delivery);
        node.disk.setWriteHook(() -> {});
        note(last, agent.journal(attempt));
        return stopped;
    }

    private void note(@Nullable String[] last, @Nullable Journal journal) {
        if (journal == null) {
            return;
        }
        String state = AttemptDiagram.state(journal);
        if (last[0] != null && !state.equals(last[0])) {
            made.add(new Move(last[0], state));
        }
        last[0] = state;
    }
}
