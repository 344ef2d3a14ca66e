package drover.coordinator.api.rollout;

import drover.coordinator.api.PageSizeParser;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.api.TimestampParser;
import drover.coordinator.engine.create.RefusingFieldParser;
import drover.coordinator.engine.create.RolloutPreviewer;
import drover.coordinator.engine.create.RolloutPreviewer.ChainHealth;
import drover.coordinator.engine.create.RolloutPreviewer.PlanPreview;
import drover.coordinator.plan.batch.CanaryEvidence;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.explain.FinishByForecast;
import drover.coordinator.plan.explain.NodeWorkEstimate;
import drover.coordinator.plan.explain.RolloutAsOf;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.explain.RolloutForecast;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.request.RiskyStartRules;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.rollout.RolloutViews;
import drover.coordinator.store.rollout.RolloutViews.ListedRollout;
import drover.coordinator.store.rollout.RolloutViews.NodePage;
import drover.coordinator.store.rollout.RolloutViews.NodeWithReport;
import drover.coordinator.store.rollout.RolloutViews.RolloutMetadata;
import drover.coordinator.store.rollout.RolloutViews.RolloutWithMetadata;
import drover.coordinator.store.rollout.RolloutViews.Summary;
import drover.coordinator.store.rollout.RolloutViews.UnreadableRollout;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.ListRolloutNodesResponse;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RolloutPlan;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads rollouts for operators and says why they are where they are. */
public final class RolloutQueries {
    private static final int DEFAULT_PAGE = 50;
    private static final int DEFAULT_NODES = 1_000;
    private static final int DEFAULT_HISTORY = 100;
    private static final RolloutMetadata UNWRITTEN =
            new RolloutMetadata("", "", Instant.EPOCH, null, null, null, null, null);

    private final RolloutViews views;
    private final Supplier<FleetView> fleet;
    private final RolloutPreviewer preview;
    private final IncidentViews incidents;

    /**
     * @param fleet the fleet as this replica sees it, which is not at all unless it leads
     */
    public RolloutQueries(
            RolloutViews views,
            Supplier<FleetView> fleet,
            RolloutPreviewer preview,
            IncidentViews incidents) {
        this.incidents = incidents;
        this.views = views;
        this.fleet = fleet;
        this.preview = preview;
    }

    /** What a creation would lead to. Nothing of it is stored, so it has no id and no times. */
    RolloutPlan creationPlan(UnvalidatedCreationRequest requested) {
        PlanPreview planned = preview.preview(requested);
        drover.rollout.v1.Rollout.Builder proto =
                RolloutProtos.toRollout(planned.rollout(), planned.rollout().counters(), UNWRITTEN)
                        .setExplanation("Planned, not created: " + summary(planned.rollout()) + ".")
                        .clearId()
                        .clearCreatedAt()
                        .clearRevision()
                        .clearBatches();
        planned.finishByForecast().ifPresent(pace -> RolloutProtos.setScheduleStatus(proto, pace));
        return PlanProtos.toPlan(proto.build(), planned);
    }

    private static String summary(Rollout rollout) {
        return rollout.nodes().size()
                + " targets in "
                + rollout.batches().size()
                + (rollout.batches().size() == 1 ? " batch" : " batches");
    }

    /** What remains of a rollout. */
    RolloutPlan remainingPlan(RolloutId id) {
        RolloutWithMetadata view = readView(id);
        return PlanProtos.toPlan(
                toProto(view).toBuilder().clearBatches().build(), preview.preview(view.rollout()));
    }

    /** Unhealthy nodes of the chain of a rollout, as its plan lists them. */
    ChainHealth readChainHealth(RolloutId id) {
        return preview.readChainHealth(readView(id).rollout());
    }

    /** What a rollback of a rollout would do; with the declared health gate if none is given. */
    RolloutPlan rollbackPlan(RolloutId id, Optional<RollbackHealthPolicy> requested) {
        RolloutWithMetadata view = readView(id);
        Rollout rollout = view.rollout();
        RollbackHealthPolicy health = requested.orElse(rollout.effectiveRollbackHealth());
        drover.rollout.v1.Rollout.Builder proto =
                toProto(view).toBuilder()
                        .clearBatches()
                        .setRollbackHealth(RolloutProtos.toRollbackHealth(health));
        return PlanProtos.toRollbackPlan(proto.build(), preview.previewRollback(rollout, health));
    }

    /** Refuses when a pending rollout would do something else than the plan with this hash. */
    void requirePlanHashIfPending(RolloutId id, String hash) {
        Digest wanted = RefusingFieldParser.parse("plan_hash", hash, Digest::new);
        preview.requirePlanHashIfPending(readView(id).rollout(), wanted);
    }

    /** Refuses to look beforehand at a rollout that was started. */
    void requireNotStarted(RolloutId id) {
        RolloutState state = readView(id).rollout().state();
        if (state instanceof RolloutState.Ended) {
            throw new Refused(
                    RefusalCode.FINAL, "Rollout " + id + " has ended: create another one.");
        }
        if (!(state instanceof RolloutState.Pending)) {
            throw new Refused(
                    RefusalCode.ALREADY,
                    "Rollout "
                            + id
                            + " was started: its nodes say more than a look beforehand could.");
        }
    }

    /** Refuses a start that must be justified and is not (invariant A16). */
    public void requireReasonIfRisky(RolloutId id, String reason) {
        if (reason.isBlank()) {
            Rollout rollout = readView(id).rollout();
            String why = RiskyStartRules.startRiskPhrase(rollout.spec(), rollout.nodes().size());
            if (!why.isEmpty()) {
                throw new Refused(
                        RefusalCode.MISSING_FIELD,
                        "Say why it is started, as the reason of the request: " + why + ".",
                        "reason");
            }
        }
    }

    public drover.rollout.v1.Rollout readRollout(RolloutId id) {
        return toProto(readView(id));
    }

    private drover.rollout.v1.Rollout toProto(RolloutWithMetadata view) {
        Rollout rollout = view.rollout();
        drover.rollout.v1.Rollout.Builder proto =
                RolloutProtos.toRollout(rollout, rollout.counters(), view.facts())
                        .setExplanation(
                                RolloutExplainer.rolloutReason(rollout, fleet.get()).sentence())
                        .setOpenIncidents(incidents.countUnresolved(rollout.id()));
        CanaryEvidence.of(rollout)
                .ifPresent(evidence -> RolloutProtos.setEvidence(proto, evidence));
        Instant finishBy = rollout.spec().conduct().finishBy();
        if (isAdvancing(rollout.state()) || finishBy != null) {
            Instant now = preview.currentTime();
            NodeWorkEstimate work = preview.estimateNodeWork(rollout);
            RolloutForecast forecast = RolloutForecast.of(rollout, work, now);
            if (isAdvancing(rollout.state())) {
                proto.setExpectedRemaining(PlanProtos.toDuration(forecast.expectedDuration()))
                        .setMeasuredFrom(work.measuredFrom());
            }
            if (finishBy != null) {
                Instant ended = view.facts().finishedAt();
                RolloutProtos.setScheduleStatus(
                        proto, FinishByForecast.of(rollout, forecast, work, finishBy, ended, now));
            }
        }
        return proto.build();
    }

    /** The database's time. */
    Instant now() {
        return preview.currentTime();
    }

    /** Only of what moves by itself can be said how long it still takes. */
    private static boolean isAdvancing(RolloutState state) {
        return state instanceof RolloutState.Running
                || state instanceof RolloutState.RollingBack
                || state instanceof RolloutState.Cancelling;
    }

    private RolloutWithMetadata readView(RolloutId id) {
        RolloutIdCallHelpers.requireUuid(id);
        return views.find(id).orElseThrow(() -> RolloutIdCallHelpers.notFoundRefusal(id));
    }

    ListRolloutsResponse list(ListRolloutsRequest request) {
        int size = PageSizeParser.parse("page_size", request.getPageSize(), DEFAULT_PAGE, 1_000);
        RolloutId after =
                request.getPageToken().isEmpty() ? null : parsePageToken(request.getPageToken());
        List<ListedRollout> found =
                views.list(
                        RolloutFilterParser.parse(request),
                        after,
                        size + 1); // one more tells whether another page follows
        List<ListedRollout> page = found.subList(0, Math.min(size, found.size()));
        ListRolloutsResponse.Builder response = ListRolloutsResponse.newBuilder();
        page.forEach(listed -> response.addRollouts(toListEntry(listed)));
        if (found.size() > size) {
            response.setNextPageToken(page.getLast().id().value());
        }
        return response.build();
    }

    private static drover.rollout.v1.Rollout.Builder toListEntry(ListedRollout listed) {
        return switch (listed) {
            case Summary summary ->
                    RolloutProtos.toRollout(summary.rollout(), summary.counters(), summary.facts())
                            .setNotRollbackableNodes(summary.notRollbackable())
                            .clearBatches(); // their counts need the nodes
            case UnreadableRollout unread -> RolloutProtos.toUnreadableRollout(unread);
        };
    }

    private static RolloutId parsePageToken(String text) {
        RolloutId id = RefusingFieldParser.parse("page_token", text, RolloutId::new);
        if (!RolloutIdCallHelpers.isUuid(text)) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "Give the next_page_token of an earlier answer as page_token.",
                    "page_token");
        }
        return id;
    }

    ListRolloutNodesResponse listNodes(RolloutId id, ListRolloutNodesRequest request) {
        int size = PageSizeParser.parse("page_size", request.getPageSize(), DEFAULT_NODES, 10_000);
        RolloutIdCallHelpers.requireUuid(id);
        NodePage page =
                views.findNodePage(
                                id,
                                request.getPageToken(),
                                size + 1) // one more: another page follows
                        .orElseThrow(() -> RolloutIdCallHelpers.notFoundRefusal(id));
        if (!page.known()) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "Give the next_page_token of an earlier answer as page_token.",
                    "page_token");
        }
        FleetView now = fleet.get();
        List<NodeWithReport> rows = page.nodes().subList(0, Math.min(size, page.nodes().size()));
        ListRolloutNodesResponse.Builder response = ListRolloutNodesResponse.newBuilder();
        rows.forEach(row -> response.addNodes(toNode(page.rollout(), row, now)));
        if (page.nodes().size() > size) {
            response.setNextPageToken(rows.getLast().node().id().value());
        }
        return response.build();
    }

    private static drover.rollout.v1.RolloutNode toNode(
            Rollout rollout, NodeWithReport row, FleetView now) {
        return RolloutProtos.toNode(
                rollout,
                row.node(),
                row.report(),
                RolloutExplainer.nodeReason(rollout, row.node(), now));
    }

    ExplainRolloutResponse explain(RolloutId id, ExplainRolloutRequest request) {
        int limit = PageSizeParser.parse("limit", request.getLimit(), DEFAULT_HISTORY, 1_000);
        RolloutWithMetadata view = readView(id);
        return request.hasAsOf()
                ? explainPast(
                        view,
                        TimestampParser.parseAsOf(request.getAsOf(), preview.currentTime()),
                        limit)
                : explainNow(view, limit);
    }

    private ExplainRolloutResponse explainNow(RolloutWithMetadata view, int limit) {
        ExplainRolloutResponse.Builder response =
                ExplainRolloutResponse.newBuilder().setRollout(toProto(view));
        for (RolloutExplainer.Reason reason :
                RolloutExplainer.explain(view.rollout(), fleet.get())) {
            Cause cause = reason.cause();
            response.addCurrent(
                    Reason.newBuilder()
                            .setCode(cause.code())
                            .setSentence(cause.sentence())
                            .setNodeId(reason.node())
                            .setActor("drover"));
        }
        views.history(view.rollout().id(), limit)
                .forEach(entry -> response.addHistory(RolloutProtos.toReason(entry)));
        return response.build();
    }

    private ExplainRolloutResponse explainPast(RolloutWithMetadata view, Instant at, int limit) {
        Rollout rollout = view.rollout();
        Instant pruned = view.facts().prunedAt();
        if (pruned != null) {
            throw new Refused(
                    RefusalCode.HISTORY_PRUNED,
                    "The history of rollout "
                            + rollout.id()
                            + " was pruned at "
                            + pruned
                            + "; leave as_of out to see how it ended.",
                    "as_of");
        }
        List<RolloutAsOf.LastTransition> moves =
                views.findLastTransitions(rollout.id(), at).stream()
                        .map(RolloutAsOfProtos::toLastTransition)
                        .toList();
        if (moves.isEmpty()) {
            throw TimestampParser.invalidAsOfRefusal(
                    "Rollout "
                            + rollout.id()
                            + " did not exist at "
                            + at
                            + "; it was created at "
                            + view.facts().createdAt()
                            + ".");
        }
        RolloutAsOf past = RolloutAsOf.of(rollout, moves);
        ExplainRolloutResponse.Builder response =
                ExplainRolloutResponse.newBuilder()
                        .setRollout(RolloutAsOfProtos.toRolloutAsOf(view, past, at));
        past.explainingTransitions()
                .forEach(move -> response.addCurrent(RolloutAsOfProtos.toReason(move)));
        views.history(rollout.id(), at, limit)
                .forEach(entry -> response.addHistory(RolloutProtos.toReason(entry)));
        return response.build();
    }
}
