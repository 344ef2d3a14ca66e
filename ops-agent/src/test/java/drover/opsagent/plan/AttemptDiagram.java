package drover.opsagent.plan;

import drover.model.Action;
import drover.model.ActionOutcome;
import drover.model.AgentUpgradeAction;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.journal.ActionEntry;
import drover.opsagent.journal.ActionSequences;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.AttemptDirection;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.UndoStep;
import drover.opsagent.journal.UndoStepProgress;
import drover.opsagent.journal.Work;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Draws an attempt by asking {@link NextStep} in every journal that can come about: each step done,
 * each failed, and the agent started again at each, whatever the disk then says. A state is what is
 * done next; how an attempt ended is a state as well.
 */
public final class AttemptDiagram {
    private static final Instant NOW = Instant.EPOCH;
    private static final String END = "[*]";

    private final Map<Move, Set<String>> moves = new TreeMap<>();
    private final Deque<Journal> open = new ArrayDeque<>();
    private final Set<List<Object>> met = new HashSet<>();

    private AttemptDiagram() {}

    /** From one state to another. */
    public record Move(String from, String to) implements Comparable<Move> {
        @Override
        public int compareTo(Move other) {
            return (from + " " + to).compareTo(other.from + " " + other.to);
        }
    }

    /** Every move of upgrades and restores, with what makes it. */
    public static Map<Move, Set<String>> moves() {
        AttemptDiagram diagram = new AttemptDiagram();
        for (boolean wanted : List.of(true, false)) {
            diagram.draw("upgrade", Journal.accepted(assignment(upgrade(0)), before(wanted)));
            diagram.draw("upgrade", Journal.accepted(assignment(upgrade(7)), before(wanted)));
            diagram.draw("restore", Journal.accepted(assignment(restore()), before(wanted)));
        }
        return diagram.explored();
    }

    /** Every move of an agent that replaces itself, or goes back to the version before. */
    public static Map<Move, Set<String>> agentMoves() {
        AttemptDiagram diagram = new AttemptDiagram();
        diagram.draw("agent upgrade", Journal.accepted(assignment(agent(0)), before(true)));
        diagram.draw("agent restore", Journal.accepted(assignment(agent(7)), before(true)));
        return diagram.explored();
    }

    private Map<Move, Set<String>> explored() {
        while (!open.isEmpty()) {
            explore(open.poll());
        }
        return moves;
    }

    /** The diagram as Mermaid. */
    public static String mermaid(Map<Move, Set<String>> moves) {
        return moves.entrySet().stream()
                .map(
                        move ->
                                "    %s --> %s: %s\n"
                                        .formatted(
                                                move.getKey().from(),
                                                move.getKey().to(),
                                                String.join(", ", move.getValue())))
                .collect(Collectors.joining("", "stateDiagram-v2\n", ""));
    }

    /** The state of a journal: what is done next, or how it ended. */
    public static String state(Journal journal) {
        return journal.hasEnded()
                ? word(journal.ending().outcome())
                : word(NextStep.after(journal, RecoveryObservation.RUNNING));
    }

    private void draw(String work, Journal accepted) {
        note(END, accepted, work);
    }

    private void explore(Journal journal) {
        String from = state(journal);
        if (journal.hasEnded()) {
            moves.computeIfAbsent(new Move(from, END), _ -> new TreeSet<>()).add("reported");
            return;
        }
        perform(from, journal, NextStep.after(journal, RecoveryObservation.RUNNING));
        Journal restarted = journal.withAgentRestart();
        for (boolean verified : List.of(true, false)) {
            for (boolean running : List.of(true, false)) {
                NextStep next =
                        NextStep.after(restarted, new RecoveryObservation(true, verified, running));
                note(from, taken(restarted, next), "agent restarted");
                if (restarted.findEntry(AgentUpgradeAction.SWAP)
                        != null) { // before, nobody could start it
                    RecoveryObservation inherited =
                            new RecoveryObservation(true, verified, running, true);
                    NextStep heirs = NextStep.after(restarted, inherited);
                    note(from, taken(restarted, heirs), "successor takes over");
                }
            }
        }
    }

    /** What a step that is under way leads to, as {@code AttemptRunner} writes it down. */
    private void perform(String from, Journal journal, NextStep next) {
        switch (next) {
            case NextStep.StartAction(Action action) -> {
                Journal started = journal.withActionStarted(action, NOW);
                note(from, started.withActionDone(action, ActionOutcome.DONE, NOW), "done");
                note(
                        from,
                        started.withActionFailedAndCompensation(
                                action, ReasonCode.DISK_ERROR, "", NOW),
                        "failed");
            }
            case NextStep.Undo(UndoStep step) -> {
                Journal started = journal.withUndoStarted(step, NOW);
                note(from, started.withUndoDone(step, NOW), "done");
                note(from, ended(started, AttemptOutcome.FAILED_ROLLBACK), "failed");
            }
            case NextStep.VerifyTarget() -> {
                note(from, ended(journal, successOutcome(journal.assignment().work())), "proven");
                note(
                        from,
                        journal.withCompensationStarted(ReasonCode.PROOF_FAILED, ""),
                        "not proven");
            }
            case NextStep.VerifyRestored() -> {
                boolean restore = journal.assignment().work() instanceof Work.Restore;
                AttemptOutcome healthy = restore ? AttemptOutcome.RESTORED : AttemptOutcome.FAILED;
                note(from, ended(journal, healthy), "proven");
                if (!ActionSequences.undoSteps(journal).isEmpty()) { // untouched needs no proof
                    note(from, ended(journal, AttemptOutcome.FAILED_ROLLBACK), "not proven");
                }
            }
            case NextStep.GiveUp() ->
                    note(from, ended(journal, AttemptOutcome.FAILED_ROLLBACK), "marked");
            case NextStep.Compensate _, NextStep.Ended _ ->
                    throw new IllegalStateException(next + " in the middle of an attempt");
        }
    }

    /** The journal in which the agent is at this step after its start. */
    private static Journal taken(Journal restarted, NextStep next) {
        return switch (next) {
            case NextStep.Compensate(ReasonCode reason, String detail) ->
                    restarted.withCompensationStarted(reason, detail);
            case NextStep.StartAction(Action action) -> restarted.withActionStarted(action, NOW);
            case NextStep.Undo(UndoStep step) -> restarted.withUndoStarted(step, NOW);
            case NextStep.VerifyTarget _,
                    NextStep.VerifyRestored _,
                    NextStep.GiveUp _,
                    NextStep.Ended _ ->
                    restarted;
        };
    }

    private void note(String from, Journal to, String event) {
        String state = state(to);
        boolean bound = !to.hasEnded() && to.transitions() >= NextStep.MAX_TRANSITIONS;
        moves.computeIfAbsent(new Move(from, state), _ -> new TreeSet<>())
                .add(bound ? NextStep.MAX_TRANSITIONS + " transitions" : event);
        if (met.add(fingerprint(to))) {
            open.add(to);
        }
    }

    /** Journals with the same one go on the same way: neither times nor revisions decide. */
    private static List<Object> fingerprint(Journal journal) {
        boolean forward = journal.direction() == AttemptDirection.FORWARD;
        return List.of(
                journal.assignment().work(),
                journal.before(),
                journal.direction(),
                journal.ending().outcome(),
                forward
                        ? journal.actions().stream()
                                .collect(
                                        Collectors.toMap(ActionEntry::action, ActionEntry::outcome))
                        : journal.mayHaveMutated(),
                journal.undos().stream()
                        .collect(
                                Collectors.toMap(
                                        UndoStepProgress::step, UndoStepProgress::hasFinished)),
                Math.min(journal.agentRestarts(), NextStep.MAX_AGENT_RESTARTS),
                Math.min(journal.transitions(), NextStep.MAX_TRANSITIONS));
    }

    private static Journal ended(Journal journal, AttemptOutcome outcome) {
        return journal.withResult(outcome, ReasonCode.NONE, "", ObservedProgram.NOTHING);
    }

    private static String word(Enum<?> outcome) {
        return outcome.name().toLowerCase(Locale.ROOT);
    }

    /** Mermaid takes no colon in a name: {@code restore:stop_node} is {@code restore_stop_node}. */
    private static String word(NextStep step) {
        return switch (step) {
            case NextStep.StartAction(Action action) -> action.wireName();
            case NextStep.Undo(UndoStep undo) -> undo.wireName().replace(':', '_');
            case NextStep.VerifyTarget _ -> "verify_target";
            case NextStep.VerifyRestored _ -> "verify_restored";
            case NextStep.GiveUp _ -> "give_up";
            case NextStep.Compensate _ -> "compensate";
            case NextStep.Ended _ -> "ended";
        };
    }

    private static PreUpgradeState before(boolean wanted) {
        return new PreUpgradeState.Recorded(
                Digest.of("old").value(), Digest.of("config"), List.of(), wanted, wanted);
    }

    private static Assignment assignment(Work work) {
        return new Assignment(
                8, Digest.of("body").value(), "rollout-1", work, Duration.ofMinutes(9), "name");
    }

    private static AttemptOutcome successOutcome(Work work) {
        return switch (work) {
            case Work.Upgrade upgrade -> upgrade.successOutcome();
            case Work.AgentUpgrade upgrade -> upgrade.successOutcome();
            case Work.Restore _, Work.ClearFailure _, Work.UnreadWork _ ->
                    throw new IllegalStateException("It has no target");
        };
    }

    private static Work agent(long undoes) {
        Artifact jar = new Artifact("http://artifacts.example/agent", Digest.of("new"), 0);
        return new Work.AgentUpgrade("1.2.3", jar, Digest.of("old").value(), undoes);
    }

    private static Work restore() {
        return new Work.Restore("app", 7, Digest.of("old"), Digest.of("old config"));
    }

    private static Work upgrade(long undoes) {
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/bin/app"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE);
        return new Work.Upgrade(
                new ProgramSpec(new BinaryName("app"), "process", launch, List.of()),
                "v2",
                new Artifact("http://artifacts.example/app", Digest.of("new"), 0),
                List.of(),
                Digest.of("old"),
                "",
                Digest.of("new config"),
                undoes);
    }
}
