package drover.coordinator.store.check;

import drover.coordinator.store.rollout.HistoryEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares what is written with what others saw: clients, who were answered, and nodes, on which
 * programs were started. {@link HistoryInvariants} looks at the history alone.
 */
public final class ObservationChecker {
    private static final String ROLLOUT = "rollout";
    private static final Set<String> AT_WORK = Set.of("assigned", "upgrading", "restoring", "open");

    private ObservationChecker() {}

    /** What a client heard of its request in the end, however often it asked under one key. */
    public enum ResponseOutcome {
        /** It was done. */
        APPLIED,
        /** The rules said no. */
        REFUSED,
        /** Nothing: it may have been done. */
        NONE
    }

    /**
     * A request and its answer.
     *
     * @param actor who asked
     * @param code what history calls the rollout's own move when it is done
     */
    public record ClientResponse(String actor, String code, ResponseOutcome outcome) {}

    /**
     * A program that was brought to a node.
     *
     * @param program its digest
     */
    public record NodeAndInstalledDigest(String node, String program) {}

    /**
     * Each request that was acknowledged is in the history, once, and none that was refused (B8).
     *
     * @param rows the history of one rollout
     * @param answers of all clients, to all requests for the moves of this rollout
     * @return a sentence for each thing that is wrong
     */
    public static List<String> requestViolations(
            List<HistoryEntry> rows, List<ClientResponse> answers) {
        List<String> broken = new ArrayList<>();
        for (ClientResponse kind : distinctRequests(answers)) {
            long recorded =
                    rows.stream()
                            .filter(row -> row.subject().equals(ROLLOUT))
                            .filter(row -> row.actor().equals(kind.actor()))
                            .filter(row -> row.because().code().equals(kind.code()))
                            .count();
            long done = countOutcome(answers, kind, ResponseOutcome.APPLIED);
            long perhaps = countOutcome(answers, kind, ResponseOutcome.NONE);
            if (recorded < done || recorded > done + perhaps) {
                broken.add(
                        "B8: %s by %s is told %d times, and was acknowledged %d times"
                                        .formatted(kind.code(), kind.actor(), recorded, done)
                                + (perhaps == 0 ? "" : ", perhaps " + (done + perhaps)));
            }
        }
        return List.copyOf(broken);
    }

    /** Each actor and code once, whatever the word. */
    private static Set<ClientResponse> distinctRequests(List<ClientResponse> answers) {
        Set<ClientResponse> kinds = new LinkedHashSet<>();
        answers.forEach(
                answer ->
                        kinds.add(
                                new ClientResponse(
                                        answer.actor(), answer.code(), ResponseOutcome.NONE)));
        return kinds;
    }

    private static long countOutcome(
            List<ClientResponse> answers, ClientResponse kind, ResponseOutcome word) {
        return answers.stream()
                .filter(
                        answer ->
                                answer.equals(new ClientResponse(kind.actor(), kind.code(), word)))
                .count();
    }

    /**
     * On each node was started what history says it was brought to, in that order and once each
     * (C1).
     *
     * @param received what nodes were laid out with, and what succeeded, oldest first
     * @param started what truly was started, oldest first
     * @return a sentence for each node on which something else happened
     */
    public static List<String> startViolations(
            List<NodeAndInstalledDigest> received, List<NodeAndInstalledDigest> started) {
        Map<String, List<String>> reported = programsByNode(received);
        Map<String, List<String>> seen = programsByNode(started);
        Set<String> nodes = new LinkedHashSet<>(reported.keySet());
        nodes.addAll(seen.keySet());
        return nodes.stream()
                .filter(node -> !programsOf(reported, node).equals(programsOf(seen, node)))
                .map(
                        node ->
                                "C1: on %s were started %s, and history tells of %s"
                                        .formatted(
                                                node,
                                                programsOf(seen, node),
                                                programsOf(reported, node)))
                .toList();
    }

    /**
     * A status of a node.
     *
     * @param outcome of its attempt, as agents name it
     * @param open whether the attempt is under way
     */
    public record AttemptStatusRecord(
            String node, long attempt, long sequence, String outcome, boolean open) {}

    /**
     * Each status that was acknowledged to a node is written down, or a later one of its attempt
     * (C10).
     *
     * @param acknowledged what nodes were told is written down
     * @param written the latest of each attempt
     * @param histories of all rollouts; they tell of each attempt that is over
     * @return a sentence for each that was lost
     */
    public static List<String> lostStatusViolations(
            List<AttemptStatusRecord> acknowledged,
            List<AttemptStatusRecord> written,
            List<HistoryEntry> histories) {
        List<String> broken = new ArrayList<>();
        Map<String, Set<Long>> over = new HashMap<>();
        for (AttemptStatusRecord received : acknowledged) {
            if (written.stream().noneMatch(each -> isSameOrLater(each, received))) {
                broken.add("C10: %s was acknowledged and is not written down".formatted(received));
            }
            if (!received.open()) {
                over.computeIfAbsent(received.node(), _ -> new LinkedHashSet<>())
                        .add(received.attempt());
            }
        }
        over.forEach(
                (node, attempts) -> {
                    long ends =
                            histories.stream()
                                    .filter(row -> row.node().equals(node) && endsAttempt(row))
                                    .count();
                    if (ends < attempts.size()) {
                        broken.add(
                                "C10: %s was acknowledged the end of attempts %s, and history tells of %d"
                                        .formatted(node, attempts, ends));
                    }
                });
        return List.copyOf(broken);
    }

    private static boolean isSameOrLater(
            AttemptStatusRecord written, AttemptStatusRecord received) {
        boolean of =
                written.node().equals(received.node())
                        && written.attempt() == received.attempt()
                        && written.sequence() >= received.sequence();
        return of
                && (received.open()
                        || (!written.open() && written.outcome().equals(received.outcome())));
    }

    private static boolean endsAttempt(HistoryEntry row) {
        return AT_WORK.contains(row.from()) && !AT_WORK.contains(row.to());
    }

    private static List<String> programsOf(Map<String, List<String>> of, String node) {
        return of.getOrDefault(node, List.of());
    }

    private static Map<String, List<String>> programsByNode(List<NodeAndInstalledDigest> all) {
        Map<String, List<String>> byNode = new HashMap<>();
        for (NodeAndInstalledDigest each : all) {
            byNode.computeIfAbsent(each.node(), _ -> new ArrayList<>()).add(each.program());
        }
        return byNode;
    }
}
