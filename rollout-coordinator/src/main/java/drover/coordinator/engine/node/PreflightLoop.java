package drover.coordinator.engine.node;

import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.peers.CommandBodySerializer;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.preflight.AgentPreflightReport;
import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.store.preflight.LeaderPreflightStore;
import drover.coordinator.store.preflight.LeaderPreflightStore.UnfinishedPreflight;
import drover.coordinator.store.sql.UnreadableRow;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries preflights out, on the leader's one supervising thread. What agents answer may come from
 * any thread; it passes no database until the last node of a preflight has its result.
 */
public final class PreflightLoop {
    private static final Logger LOG = LoggerFactory.getLogger(PreflightLoop.class);

    private final long epoch;
    private final LoopDependencies parts;
    private final Map<UUID, PreflightRun> runs = new HashMap<>();
    private final Set<UUID> aside = new HashSet<>(); // until another leader looks
    private final Map<NodeId, AgentPreflightReport> received =
            new ConcurrentHashMap<>(); // until the next round

    public PreflightLoop(long epoch, LoopDependencies parts) {
        this.epoch = epoch;
        this.parts = parts;
    }

    /** Agents have answered. */
    public void enqueueReports(Map<NodeId, AgentPreflightReport> reports) {
        received.putAll(reports);
    }

    /** One round; false when another leader has taken over. */
    public boolean tickUnlessStale() {
        List<UnfinishedPreflight> open = parts.store().preflights().findUnfinished(aside);
        runs.keySet().retainAll(open.stream().map(UnfinishedPreflight::id).toList());
        Map<NodeId, AgentPreflightReport> answers = drainReceived();
        for (UnfinishedPreflight requested : open) {
            PreflightRun run = runs.get(requested.id());
            if (run == null) {
                run = start(requested).orElse(null);
            }
            if (run != null && !advanceOrSkip(requested, run, answers)) {
                return false;
            }
        }
        return true;
    }

    private Map<NodeId, AgentPreflightReport> drainReceived() {
        Map<NodeId, AgentPreflightReport> taken = new HashMap<>();
        for (NodeId node : List.copyOf(received.keySet())) {
            AgentPreflightReport report = received.remove(node);
            if (report != null) {
                taken.put(node, report);
            }
        }
        return taken;
    }

    private Optional<PreflightRun> start(UnfinishedPreflight requested) {
        Optional<PreflightRun> run = loadIfReadable(requested);
        run.ifPresent(started -> runs.put(requested.id(), started));
        return run;
    }

    /** One whose rollout a later version wrote is left to that version, and no other for it. */
    private Optional<PreflightRun> loadIfReadable(UnfinishedPreflight requested) {
        try {
            return parts.store()
                    .load(requested.rollout())
                    .map(it -> new PreflightRun(requested.id(), it.rollout(), now()));
        } catch (UnreadableRow e) {
            aside.add(requested.id());
            LOG.warn(
                    "A preflight is left to leaders of a later version rolloutId={} reason={}",
                    requested.rollout(),
                    e.getMessage());
            return Optional.empty();
        }
    }

    /** One that fails is left to another leader, and no other preflight waits for it. */
    private boolean advanceOrSkip(
            UnfinishedPreflight requested,
            PreflightRun run,
            Map<NodeId, AgentPreflightReport> answers) {
        try {
            return advance(requested, run, answers);
        } catch (UnwritableValue e) {
            LOG.error("A preflight cannot be written rolloutId={}", requested.rollout(), e);
            parts.meter().recordFailure("preflights");
            aside.add(requested.id());
            runs.remove(requested.id());
            return true;
        }
    }

    private boolean advance(
            UnfinishedPreflight requested,
            PreflightRun run,
            Map<NodeId, AgentPreflightReport> answers) {
        FleetView view = parts.fleet().snapshot();
        answers.forEach((node, report) -> run.applyReport(node, report));
        Map<NodeId, String> requests = run.takeNextRequests(view::node, now());
        if (!requests.isEmpty()) {
            send(requested, requests);
        }
        return !run.hasEnded() || finish(requested, run, view);
    }

    private boolean finish(UnfinishedPreflight requested, PreflightRun run, FleetView view) {
        LeaderPreflightStore ledger = parts.store().preflights();
        List<NodePreflightResult> results = run.results(view);
        if (!ledger.finishIfLatest(epoch, requested, now(), results)) {
            return false;
        }
        runs.remove(requested.id());
        LOG.info("A preflight is done rolloutId={} count={}", requested.rollout(), results.size());
        return true;
    }

    /** What is lost on the way is not sent again: its node is said not to have answered. */
    private void send(UnfinishedPreflight requested, Map<NodeId, String> sessions) {
        Map<NodeId, byte[]> payloads =
                parts.store().loadPayloads(requested.rollout(), sessions.keySet());
        Map<NodeId, byte[]> bodies = new HashMap<>();
        payloads.forEach(
                (node, payload) ->
                        bodies.put(
                                node,
                                CommandBodySerializer.preflightBody(
                                        node, requested.rollout(), requested.id(), payload)));
        Set<String> digests = new HashSet<>();
        bodies.values()
                .forEach(body -> digests.addAll(CommandBodySerializer.contentDigestsOf(body)));
        Map<String, byte[]> contents =
                digests.isEmpty() ? Map.of() : parts.store().loadContents(digests);
        Map<String, List<MessageToNode>> byGateway = new HashMap<>();
        bodies.forEach(
                (node, body) ->
                        parts.fleet()
                                .gatewayOf(node)
                                .ifPresent(
                                        gateway ->
                                                byGateway
                                                        .computeIfAbsent(
                                                                gateway, _ -> new ArrayList<>())
                                                        .add(
                                                                toDelivery(
                                                                        node, sessions, body,
                                                                        contents))));
        byGateway.forEach(parts.peers()::deliver);
    }

    private MessageToNode toDelivery(
            NodeId node, Map<NodeId, String> sessions, byte[] body, Map<String, byte[]> contents) {
        Map<String, byte[]> own = new HashMap<>();
        for (String digest : CommandBodySerializer.contentDigestsOf(body)) {
            byte[] content = contents.get(digest);
            if (content != null) {
                own.put(digest, content);
            }
        }
        return new MessageToNode.Command(
                node, sessions.getOrDefault(node, ""), false, epoch, "", body, own);
    }

    private Instant now() {
        return parts.clock().get();
    }
}
