package drover.coordinator.engine.node;

import drover.coordinator.engine.fleet.AgentFindings;
import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentChange.CloseMatching;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.incident.LeaderIncidentStore.OpenIncident;
import drover.coordinator.store.incident.LeaderIncidentStore.ProgramOfNode;
import drover.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the incidents that agents and gateways tell of equal to what they notice: drift, programs
 * that fall again and again, commands that are not believed, identities that were copied or lie on
 * the wrong machine. Compares the whole of both, so that nothing depends on having heard of a
 * change.
 */
final class IncidentReconciler {
    private static final Logger LOG = LoggerFactory.getLogger(IncidentReconciler.class);

    /** Rounds of a second after which all is compared even if nothing changed. */
    private static final int FULL_COMPARISON_ROUNDS = 10;

    private final long epoch;
    private final LoopDependencies parts;
    private final Consumer<Collection<NodeId>> interest;
    private long lastChange = -1;
    private int rounds;
    private boolean recalled;

    IncidentReconciler(long epoch, LoopDependencies parts, Consumer<Collection<NodeId>> interest) {
        this.epoch = epoch;
        this.parts = parts;
        this.interest = interest;
    }

    /** One round; false when another leader has taken over. */
    boolean tickUnlessStale() {
        long now = parts.fleet().findings().changeCount();
        boolean full = rounds++ % FULL_COMPARISON_ROUNDS == 0;
        if (now == lastChange && !full) {
            return true;
        }
        lastChange = now;
        loadRetiredOnce();
        LeaderIncidentStore ledger = parts.store().incidents();
        Map<OpenIncident, String> openIncidents = ledger.findOpenWhileReported();
        interest.accept(
                openIncidents.keySet().stream()
                        .map(OpenIncident::node)
                        .toList()); // gateways then answer
        List<IncidentChange> changes = new ArrayList<>(findChanges(ledger, openIncidents));
        if (full) {
            changes.addAll(findRecovered(ledger));
        }
        if (changes.isEmpty()) {
            return true;
        }
        changes.forEach(change -> logChange(change, openIncidents.keySet()));
        return ledger.write(epoch, changes, parts.clock().get());
    }

    /**
     * Nodes of ended rollouts that are healthy again, from the health that gateways report. One
     * query in a full comparison: heartbeats cause none.
     */
    private List<CloseMatching> findRecovered(LeaderIncidentStore ledger) {
        List<UnhealthyAfterEnd> unhealthy = ledger.findUnhealthyAfterEnd();
        if (unhealthy.isEmpty()) {
            return List.of();
        }
        interest.accept(unhealthy.stream().map(UnhealthyAfterEnd::node).toList());
        FleetView view = parts.fleet().snapshot();
        Instant now = parts.clock().get();
        return unhealthy.stream()
                .flatMap(
                        one ->
                                IncidentRules.closeIfHealthyAgain(one, view.node(one.node()), now)
                                        .stream())
                .toList();
    }

    /** Once: what an earlier leader retired nobody tells this one of, and gateways may not know. */
    private void loadRetiredOnce() {
        if (!recalled) {
            Instant since = parts.clock().get().minus(AgentFindings.MISPLACED_RETENTION);
            parts.fleet()
                    .findings()
                    .addEarlierRetirements(parts.store().nodeRequests().findRetiredSince(since));
            recalled = true;
        }
    }

    private List<IncidentChange> findChanges(
            LeaderIncidentStore ledger, Map<OpenIncident, String> openIncidents) {
        Map<NodeId, List<AgentFinding>> findings = parts.fleet().findings().findings();
        Optional<Set<NodeId>> locked = parts.fleet().findings().lockedNodes();
        List<Open> wanted =
                new ArrayList<>(
                        withoutBlockedNodes(
                                wantedIncidents(ledger, findings),
                                findings,
                                openIncidents.keySet()));
        FleetCache.MisplacedIdentities misplaced = parts.fleet().misplacedIdentities();
        locked.orElse(Set.of()).stream()
                .map(IncidentRules::clonedIdentityIncident)
                .forEach(wanted::add);
        misplaced.nodes().stream()
                .map(IncidentRules::identityMismatchIncident)
                .forEach(wanted::add);
        Set<OpenIncident> keys = new HashSet<>();
        wanted.forEach(open -> keys.add(incidentKey(open)));
        List<IncidentChange> changes = new ArrayList<>();
        wanted.stream()
                .filter(
                        open ->
                                !open.because()
                                        .sentence()
                                        .equals(openIncidents.get(incidentKey(open))))
                .forEach(changes::add);
        for (OpenIncident one : openIncidents.keySet()) {
            boolean known =
                    switch (one.category()) {
                        case IDENTITY_CLONED -> locked.isPresent();
                        case IDENTITY_MISMATCH -> misplaced.areAll();
                        case UPGRADE_FAILED,
                                UPGRADE_ROLLBACK_FAILED,
                                UPGRADE_STALLED,
                                NODE_UNHEALTHY,
                                CRASH_LOOP,
                                DRIFT,
                                AGENT_HANDOVER_STALLED,
                                COMMAND_REJECTED,
                                AGENT_MESSAGE_REJECTED,
                                AGENT_DISK_FAULT ->
                                findings.containsKey(one.node());
                        case UNKNOWN -> false; // whoever opened it closes it
                    };
            if (known && !keys.contains(one)) {
                changes.add(toClose(one));
            }
        }
        return changes;
    }

    /**
     * Nobody may speak for a node that is retired, revoked or locked: what its agent noticed is
     * told late by a gateway that was not heard for a while, or has lost the database, and nobody
     * would ever say that it is over. Only of what would be opened anew this is asked. It is not
     * remembered either: the machine that is the node next did not notice it.
     */
    private List<Open> withoutBlockedNodes(
            List<Open> received,
            Map<NodeId, List<AgentFinding>> findings,
            Set<OpenIncident> openIncidents) {
        Set<NodeId> fresh =
                received.stream()
                        .filter(open -> !openIncidents.contains(incidentKey(open)))
                        .map(Open::node)
                        .collect(Collectors.toSet());
        Set<NodeId> blocked = parts.blockedNodes().findBlocked(fresh);
        blocked.forEach(
                node ->
                        parts.fleet()
                                .findings()
                                .removeIfUnchanged(node, findings.getOrDefault(node, List.of())));
        return received.stream()
                .filter(
                        open ->
                                openIncidents.contains(incidentKey(open))
                                        || !blocked.contains(open.node()))
                .toList();
    }

    private static CloseMatching toClose(OpenIncident one) {
        return new CloseMatching(
                Set.of(one.category()),
                one.node(),
                one.rollout(),
                new Cause("GONE", closeReason(one.category())));
    }

    private static String closeReason(IncidentCategory category) {
        return switch (category) {
            case IDENTITY_CLONED ->
                    "Its machine was enrolled anew, or the node was revoked or retired.";
            case IDENTITY_MISMATCH ->
                    "No agent of another node has shown its credential for a quarter of an hour.";
            case UPGRADE_FAILED,
                    UPGRADE_ROLLBACK_FAILED,
                    UPGRADE_STALLED,
                    NODE_UNHEALTHY,
                    CRASH_LOOP,
                    DRIFT,
                    AGENT_HANDOVER_STALLED,
                    COMMAND_REJECTED,
                    AGENT_MESSAGE_REJECTED,
                    AGENT_DISK_FAULT,
                    UNKNOWN ->
                    "Its agent does not say so any more, or a rollout looks after the node.";
        };
    }

    private static List<Open> wantedIncidents(
            LeaderIncidentStore ledger, Map<NodeId, List<AgentFinding>> findings) {
        List<NodeId> nodes =
                findings.entrySet().stream()
                        .filter(entry -> !entry.getValue().isEmpty())
                        .map(Map.Entry::getKey)
                        .toList();
        if (nodes.isEmpty()) {
            return List.of();
        }
        Map<ProgramOfNode, LastProgramWork> last = ledger.findLastWork(nodes);
        Map<OpenIncident, Open> wanted = new HashMap<>(); // two programs of a node are one incident
        for (NodeId node : nodes) {
            for (AgentFinding finding : findings.getOrDefault(node, List.of())) {
                IncidentRules.fromFinding(
                                node, finding, last.get(new ProgramOfNode(node, finding.program())))
                        .ifPresent(open -> wanted.putIfAbsent(incidentKey(open), open));
            }
        }
        return List.copyOf(wanted.values());
    }

    private static OpenIncident incidentKey(Open open) {
        return new OpenIncident(open.category(), open.node(), open.rollout());
    }

    private static void logChange(IncidentChange change, Set<OpenIncident> openIncidents) {
        switch (change) {
            case Open open -> {
                if (!openIncidents.contains(incidentKey(open))) {
                    LOG.warn(
                            "An incident is opened nodeId={} category={} reason={}",
                            open.node(),
                            open.category(),
                            open.because().code());
                }
            }
            case CloseMatching close ->
                    LOG.info(
                            "An incident is over nodeId={} category={} reason={}",
                            close.node(),
                            close.categories(),
                            close.because().code());
        }
    }
}
