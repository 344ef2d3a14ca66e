package drover.bench;

import drover.bench.deployment.DatabaseStats.RolloutProgress;
import drover.bench.deployment.DeploymentCpuAndWriteUsage;
import drover.bench.deployment.MultiProcessBenchDeployment;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.rollout.v1.CreateRolloutRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rollouts one after the other between the two releases, each with what it used. */
final class RepeatedRolloutRunner {
    private final MultiProcessBenchDeployment deployment;
    private final CreateRolloutRequest shape;
    private final int targets;
    private BenchRelease runs = BenchRelease.V1;

    /**
     * @param targets how many nodes the shape chooses
     */
    RepeatedRolloutRunner(
            MultiProcessBenchDeployment deployment, CreateRolloutRequest shape, int targets) {
        this.deployment = deployment;
        this.shape = shape;
        this.targets = targets;
    }

    /**
     * One rollout.
     *
     * @param rollout its id
     * @param creation how long its creation took, which is not part of the rest
     * @param commits of its loop, start included
     * @param usage from its start to its end
     */
    record RolloutMeasurement(
            String rollout, Duration creation, long commits, DeploymentCpuAndWriteUsage usage) {}

    List<RolloutMeasurement> run(int count) {
        List<RolloutMeasurement> rounds = new ArrayList<>();
        for (int round = 0; round < count; round++) {
            rounds.add(once());
        }
        return rounds;
    }

    private RolloutMeasurement once() {
        long started = System.nanoTime();
        String rollout = deployment.operator().create(runs, shape);
        Duration creation = Duration.ofNanos(System.nanoTime() - started);
        long revision = deployment.stats().progress(rollout).revision();
        DeploymentCpuAndWriteUsage before = deployment.usage();
        RolloutProgress end = deployment.operator().runToCompletion(rollout);
        DeploymentCpuAndWriteUsage used = deployment.usage().since(before);
        if (end.succeeded() != targets) {
            throw new IllegalStateException(end.succeeded() + " succeeded, not " + targets);
        }
        runs = runs.other();
        deployment.awaitRunning(runs, targets); // the directory hears of it a moment later
        return new RolloutMeasurement(rollout, creation, end.revision() - revision, used);
    }
}
