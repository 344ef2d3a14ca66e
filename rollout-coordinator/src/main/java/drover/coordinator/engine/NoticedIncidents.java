package drover.coordinator.engine;

import drover.coordinator.plan.AgentFinding;
import drover.coordinator.plan.Cause;
import drover.coordinator.plan.IncidentCategory;
import drover.coordinator.plan.IncidentChange;
import drover.coordinator.plan.IncidentChange.Close;
import drover.coordinator.plan.IncidentChange.Open;
import drover.coordinator.plan.IncidentRules;
import drover.coordinator.plan.IncidentRules.LastWork;
import drover.coordinator.store.IncidentLedger;
import drover.coordinator.store.IncidentLedger.ProgramOfNode;
import drover.coordinator.store.IncidentLedger.Standing;
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
final class NoticedIncidents {
    private static final Logger LOG = LoggerFactory.getLogger(NoticedIncidents.class);

    /** Rounds of a second after which all is compared even if nothing was heard. */
    private static final int FULL_LOOK = 10;

    private final long epoch;
    private final TermParts parts;
    private final Consumer<Collection<NodeId>> interest;
    private long heard = -1;
    private int rounds;
    private boolean recalled;

    NoticedIncidents(long epoch, TermParts parts, Consumer<Collection<NodeId>> interest) {
        this.epoch = epoch;
        this.parts = parts;
        this.interest = interest;
    }

    /** One round; false when another leader has taken over. */
    boolean tick() {
        long now = parts.mirror().noticings().count();
        boolean due = now != heard || rounds++ % FULL_LOOK == 0;
        if (!due) {
            return true;
        }
        heard = now;
        recall();
        IncidentLedger ledger = parts.store().incidents();
        Set<Standing> standing = Set.copyOf(ledger.standing());
        interest.accept(standing.stream().map(Standing::node).toList()); // gateways then answer
        List<IncidentChange> changes = changes(ledger, standing);
        if (changes.isEmpty()) {
            return true;
        }
        changes.forEach(NoticedIncidents::tell);
        return ledger.write(epoch, changes, parts.clock().get());
    }

    /** Once: what an earlier leader retired nobody tells this one of, and gateways may not know. */
    private void recall() {
        if (!recalled) {
            Instant since = parts.clock().get().minus(Noticings.TOLD_OF_AT_THE_MOST);
            parts.mirror()
                    .noticings()
                    .retiredBefore(parts.store().nodeRequests().retiredSince(since));
            recalled = true;
        }
    }

    private List<IncidentChange> changes(IncidentLedger ledger, Set<Standing> standing) {
        Map<NodeId, List<AgentFinding>> noticed = parts.mirror().noticings().findings();
        Optional<Set<NodeId>> locked = parts.mirror().noticings().locked();
        List<Open> wanted = new ArrayList<>(credible(wanted(ledger, noticed), noticed, standing));
        FleetMirror.Misplaced misplaced = parts.mirror().misplaced();
        locked.orElse(Set.of()).stream().map(IncidentRules::copied).forEach(wanted::add);
        misplaced.nodes().stream().map(IncidentRules::misplaced).forEach(wanted::add);
        Set<Standing> keys = new HashSet<>();
        wanted.forEach(open -> keys.add(key(open)));
        List<IncidentChange> changes = new ArrayList<>();
        wanted.stream().filter(open -> !standing.contains(key(open))).forEach(changes::add);
        for (Standing one : standing) {
            boolean heard =
                    switch (one.category()) {
                        case IDENTITY_COPIED -> locked.isPresent();
                        case IDENTITY_MISPLACED -> misplaced.areAll();
                        case UPGRADE_FAILED,
                                UPGRADE_ROLLBACK_FAILED,
                                UPGRADE_STALLED,
                                NODE_UNHEALTHY,
                                CRASH_LOOP,
                                DRIFT,
                                AGENT_HANDOVER_STALLED,
                                COMMAND_NOT_BELIEVED,
                                AGENT_MESSAGE_REJECTED ->
                                noticed.containsKey(one.node());
                        case UNKNOWN -> false; // whoever opened it closes it
                    };
            if (heard && !keys.contains(one)) {
                changes.add(over(one));
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
    private List<Open> credible(
            List<Open> told, Map<NodeId, List<AgentFinding>> noticed, Set<Standing> standing) {
        Set<NodeId> fresh =
                told.stream()
                        .filter(open -> !standing.contains(key(open)))
                        .map(Open::node)
                        .collect(Collectors.toSet());
        Set<NodeId> barred = parts.bars().barred(fresh);
        barred.forEach(
                node ->
                        parts.mirror()
                                .noticings()
                                .disregard(node, noticed.getOrDefault(node, List.of())));
        return told.stream()
                .filter(open -> standing.contains(key(open)) || !barred.contains(open.node()))
                .toList();
    }

    private static Close over(Standing one) {
        return new Close(
                Set.of(one.category()),
                one.node(),
                one.rollout(),
                new Cause("GONE", whyOver(one.category())));
    }

    private static String whyOver(IncidentCategory category) {
        return switch (category) {
            case IDENTITY_COPIED ->
                    "Its machine was enrolled anew, or the node was revoked or retired.";
            case IDENTITY_MISPLACED ->
                    "No agent of another node has shown its credential for a quarter of an hour.";
            case UPGRADE_FAILED,
                    UPGRADE_ROLLBACK_FAILED,
                    UPGRADE_STALLED,
                    NODE_UNHEALTHY,
                    CRASH_LOOP,
                    DRIFT,
                    AGENT_HANDOVER_STALLED,
                    COMMAND_NOT_BELIEVED,
                    AGENT_MESSAGE_REJECTED,
                    UNKNOWN ->
                    "Its agent does not say so any more, or a rollout looks after the node.";
        };
    }

    private static List<Open> wanted(
            IncidentLedger ledger, Map<NodeId, List<AgentFinding>> noticed) {
        List<NodeId> nodes =
                noticed.entrySet().stream()
                        .filter(entry -> !entry.getValue().isEmpty())
                        .map(Map.Entry::getKey)
                        .toList();
        if (nodes.isEmpty()) {
            return List.of();
        }
        Map<ProgramOfNode, LastWork> last = ledger.lastWork(nodes);
        Map<Standing, Open> wanted = new HashMap<>(); // two programs of a node are one incident
        for (NodeId node : nodes) {
            for (AgentFinding finding : noticed.getOrDefault(node, List.of())) {
                IncidentRules.noticed(
                                node, finding, last.get(new ProgramOfNode(node, finding.program())))
                        .ifPresent(open -> wanted.putIfAbsent(key(open), open));
            }
        }
        return List.copyOf(wanted.values());
    }

    private static Standing key(Open open) {
        return new Standing(open.category(), open.node(), open.rollout());
    }

    private static void tell(IncidentChange change) {
        switch (change) {
            case Open open ->
                    LOG.warn(
                            "An incident is opened nodeId={} category={} reason={}",
                            open.node(),
                            open.category(),
                            open.because().code());
            case Close close ->
                    LOG.info(
                            "An incident is over nodeId={} category={} reason={}",
                            close.node(),
                            close.categories(),
                            close.because().code());
        }
    }
}
