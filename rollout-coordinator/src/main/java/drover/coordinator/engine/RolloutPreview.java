package drover.coordinator.engine;

import drover.coordinator.engine.RolloutCreation.Decided;
import drover.coordinator.peers.DirectoryLink;
import drover.coordinator.peers.ManifestLink;
import drover.coordinator.peers.ManifestLink.Remark;
import drover.coordinator.plan.CreationRequest;
import drover.coordinator.plan.Forecast;
import drover.coordinator.plan.ForeseenSkips;
import drover.coordinator.plan.ForeseenSkips.Skip;
import drover.coordinator.plan.NodeWork;
import drover.coordinator.plan.Punctuality;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.RolloutSpec;
import drover.coordinator.plan.SkipReason;
import drover.coordinator.store.PlanViews;
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
    private final RolloutCreation creation;
    private final ManifestLink manifests;
    private final DirectoryLink directory;
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
        this.directory = directory;
        this.facts = facts;
        this.clock = clock;
    }

    /**
     * A plan.
     *
     * @param warnings what deserves a look before it is started
     */
    public record Preview(
            Rollout rollout,
            Forecast forecast,
            NodeWork work,
            List<Skip> skips,
            List<Remark> warnings,
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
        List<Skip> skips =
                ForeseenSkips.of(
                        rollout,
                        facts.guards(rollout.nodes().keySet()),
                        directory.offline(spec.chain().value(), spec.nodeType()));
        Instant now = clock.get();
        return new Preview(
                rollout, Forecast.of(rollout, work, now), work, skips, warnings(spec, skips), now);
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
