package drover.coordinator.plan.explain;

import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.TargetArtifact;
import drover.coordinator.plan.model.Threshold;
import drover.model.Digest;
import drover.model.program.StopSettings;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Canonical text of what a plan installs and under which conditions: every setting of the rollout,
 * and for each node what it runs before and after. Each value is written with its length, so that
 * no value can imitate another field. Pure.
 *
 * <p>Two components of {@link RolloutSpec} are left out, because a plan must have the same hash
 * before and after the creation: {@link RolloutSpec#membership} (ids of groups are generated at the
 * creation) and {@link RolloutSpec#oversight} (who created the rollout, not what it does).
 */
final class SpecAndTargetsDigest {
    private final StringBuilder text = new StringBuilder();

    private SpecAndTargetsDigest() {}

    /** Digest of the terms under which these nodes are upgraded. */
    static Digest digest(RolloutSpec spec, Stream<NodeTarget> targets) {
        return Digest.of(canonicalText(spec, targets));
    }

    static String canonicalText(RolloutSpec spec, Stream<NodeTarget> targets) {
        SpecAndTargetsDigest terms = new SpecAndTargetsDigest();
        terms.addProgram(spec);
        terms.addStrategy(spec);
        terms.addPolicy(spec.conduct());
        targets.forEach(terms::addTarget);
        return terms.text.toString();
    }

    private void addProgram(RolloutSpec spec) {
        add("chain", spec.chain());
        add("node_type", spec.nodeType());
        add("binary", spec.binary());
        add("source_versions", spec.sourceVersions());
        add("target_version", spec.targetVersion());
        addArtifact("artifact", new TargetArtifact(spec.targetUrl(), spec.targetDigest(), 0));
        new TreeMap<>(spec.artifacts())
                .forEach((platform, artifact) -> addArtifact("artifact " + platform, artifact));
        add("runtime", spec.runtime());
        add("migration", spec.migration());
        add("recovery_plan", spec.recoveryPlan());
        add("upgrade_id", spec.upgradeId());
        add("manifest", spec.manifestHash());
        add("release", spec.release());
    }

    private void addStrategy(RolloutSpec spec) {
        switch (spec.strategy()) {
            case Strategy.Rolling(int size) -> add("rolling", size);
            case Strategy.Canary(int canary, int size) -> add("canary", canary, size);
            case Strategy.Progressive(int size) -> add("progressive", size);
            case Strategy.AllAtOnce(int size, boolean force, boolean skip) ->
                    add("all_at_once", size, force, skip);
        }
        switch (spec.threshold()) {
            case Threshold.Count(int tolerated) -> add("threshold", tolerated);
            case Threshold.Percent(int tolerated) -> add("threshold_percent", tolerated);
        }
        add("max_in_flight", spec.maxInFlight());
        add("offline_budget", spec.offlineBudget());
        add("health_wait", spec.healthWait());
        add("crash_loop_restarts", spec.crashLoopRestarts());
        if (!spec.stopTimeout().equals(StopSettings.DEFAULT_TIMEOUT)) {
            add("stop_timeout", spec.stopTimeout());
        }
    }

    private void addPolicy(RolloutPolicy conduct) {
        add("on_failure", conduct.onFailure());
        if (conduct.finishBy() != null) {
            add("finish_by", conduct.finishBy());
        }
        add("expected_failures", new TreeSet<>(conduct.expected().reasons()));
        add("expected_failures_at_most", conduct.expected().atMost());
        add("rollback_health", conduct.rollbackHealth());
        add("unhealthy_budget", conduct.unhealthyBudget());
        if (!conduct.order().isDefault()) {
            add("order", conduct.order().kind(), conduct.order().label());
            add("last", conduct.order().last());
        }
    }

    private void addTarget(NodeTarget target) {
        add(
                "node",
                target.node(),
                target.sourceVersion(),
                target.sourceDigest(),
                target.sourceConfig(),
                target.sourceUrl(),
                target.targetConfig(),
                target.changesConfig(),
                target.platform(),
                target.wayBack());
        if (target.position() != 0) {
            add("position", target.position());
        }
    }

    private void addArtifact(String name, TargetArtifact artifact) {
        add(name, artifact.url(), artifact.digest(), artifact.size());
    }

    private void add(String name, Object... values) {
        add(name, List.of(values));
    }

    private void add(String name, Collection<?> values) {
        text.append(name.length()).append(':').append(name).append(' ').append(values.size());
        for (Object value : values) {
            String one = value.toString();
            text.append(' ').append(one.length()).append(':').append(one);
        }
        text.append('\n');
    }
}
