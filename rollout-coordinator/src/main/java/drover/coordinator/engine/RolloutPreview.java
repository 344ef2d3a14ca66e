package drover.coordinator.engine;

import drover.coordinator.engine.RolloutCreation.Decided;
import drover.coordinator.peers.DirectoryLink;
import drover.coordinator.peers.ManifestLink;
import drover.coordinator.peers.ManifestLink.Remark;
import drover.coordinator.plan.CreationRequest;
import drover.coordinator.plan.Forecast;
import drover.coordinator.plan.ForeseenSkips.Skip;
import drover.coordinator.plan.NodeWork;
import drover.coordinator.plan.PlanOutline;
import drover.coordinator.plan.Punctuality;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.RolloutSpec;
import drover.coordinator.plan.RolloutState;
import drover.coordinator.plan.SkipReason;
import drover.coordinator.store.PlanViews;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Says what a rollout would do, and what remains of one. Takes the very path of creation up to its
 * transaction, and writes nothing.
 */
public final class RolloutPreview {
    private static final int DIFFERENCES_NAMED = 5; // the plan has them all

    private final RolloutCreation creation;
    private final ManifestLink manifests;
    private final Foresight foresight;
    private final PlanViews facts;
    private final Supplier<Instant> clock;

    /** A preview over the same neighbours as creation. */
    public RolloutPreview(
            RolloutCreation creation,
            ManifestLink manifests,
            DirectoryLink directory,
            PlanViews facts,
            Supplier<Instant> clock) {
        this.creation = creation;
        this.manifests = manifests;
        this.foresight = new Foresight(facts, directory);
        this.facts = facts;
        this.clock = clock;
    }

    /**
     * A plan.
     *
     * @param warnings what deserves a look before it is started
     * @param outline what a person agrees to
     */
    public record Preview(
            Rollout rollout,
            Forecast forecast,
            NodeWork work,
            List<Skip> skips,
            List<Remark> warnings,
            PlanOutline outline,
            Instant now) {
        /** Whether it will be done in time; nothing when nobody said by when. */
        public Optional<Punctuality> punctuality() {
            Instant finishBy = rollout.spec().conduct().finishBy();
            return finishBy == null
                    ? Optional.empty()
                    : Optional.of(Punctuality.of(rollout, forecast, work, finishBy, null, now));
        }

        public Preview {
            skips = List.copyOf(skips);
            warnings = List.copyOf(warnings);
        }
    }

    /** What a creation would lead to; refuses exactly as creation does. */
    public Preview of(CreationRequest asked) {
        Decided decided = creation.decide(asked);
        RolloutSpec spec = decided.rollout().spec();
        Optional<RolloutId> owner = facts.owner(spec.chain());
        if (owner.isPresent()) {
            throw RolloutCreation.chainBusy(owner.get(), spec.chain());
        }
        return of(decided.rollout());
    }

    /** What remains of a rollout. */
    public Preview of(Rollout rollout) {
        RolloutSpec spec = rollout.spec();
        NodeWork work = work(rollout);
        List<Skip> skips = foresight.skips(rollout);
        Instant now = clock.get();
        return new Preview(
                rollout,
                Forecast.of(rollout, work, now),
                work,
                skips,
                warnings(spec, skips),
                PlanOutline.of(rollout, skips),
                now);
    }

    /**
     * Refuses a start that demands a plan, when the rollout would do something else by now. Looked
     * at before the request is written down; what moves after that is judged node by node when its
     * turn comes, as ever.
     */
    public void requirePlan(Rollout rollout, Digest wanted) {
        PlanOutline now = foresight.outline(rollout);
        if (!(rollout.state() instanceof RolloutState.Pending) || now.hash().equals(wanted)) {
            return;
        }
        String different =
                facts.planOf(rollout.id())
                        .filter(created -> created.hash().equals(wanted))
                        .map(created -> differences(created.differencesTo(now)))
                        .orElse(
                                "it is neither what this rollout was created with nor what it does now");
        throw new Refused(
                RefusalCode.PLAN_CHANGED,
                "The plan is not the one that you demand: "
                        + different
                        + ". Look at 'drover rollout plan "
                        + rollout.id()
                        + "'.",
                "plan_hash");
    }

    private static String differences(List<String> all) {
        String some = String.join("; ", all.stream().limit(DIFFERENCES_NAMED).toList());
        int more = all.size() - DIFFERENCES_NAMED;
        return more > 0 ? some + "; and " + more + " more" : some;
    }

    /** How long agents work at one node of a rollout, from earlier upgrades of its program. */
    public NodeWork work(Rollout rollout) {
        return NodeWork.of(facts.nodeWork(rollout.spec().chain(), rollout.spec().binary()));
    }

    /** The time of the plan. */
    public Instant now() {
        return clock.get();
    }

    private List<Remark> warnings(RolloutSpec spec, List<Skip> skips) {
        List<Remark> warnings = new ArrayList<>();
        if (!spec.upgradeId().isEmpty()) {
            warnings.addAll(manifests.remarks(spec.chain(), spec.upgradeId()));
        }
        long offline = skips.stream().filter(skip -> skip.reason() == SkipReason.OFFLINE).count();
        if (offline > spec.offlineBudget()) {
            warnings.add(
                    new Remark(
                            "NODES_OFFLINE",
                            "Not connected now: "
                                    + offline
                                    + ", more than the offline budget of "
                                    + spec.offlineBudget()
                                    + "; unless they return, it pauses before its end."));
        }
        return warnings;
    }
}
