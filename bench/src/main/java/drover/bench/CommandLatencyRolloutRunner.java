package drover.bench;

import drover.bench.RepeatedRolloutRunner.RolloutMeasurement;
import drover.bench.deployment.CommandCommitTimeReader;
import drover.bench.deployment.MultiProcessBenchDeployment;
import drover.bench.fleet.CommandReceiptFile.CommandId;
import drover.localenv.UserFacingError;
import drover.rollout.v1.CreateRolloutRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * From the commit of the decision that a node is upgraded until its agent is bound by the command.
 * One node after the other has work, and all others are connected and idle: it is latency that is
 * measured, not throughput.
 */
final class CommandLatencyRolloutRunner {
    private final MultiProcessBenchDeployment deployment;
    private final int agents;
    private final RepeatedRolloutRunner rounds;
    private final CommandCommitTimeReader commits;

    /**
     * @param deployment a timed one, with so many agents
     */
    CommandLatencyRolloutRunner(MultiProcessBenchDeployment deployment, int agents) {
        this.deployment = deployment;
        this.agents = agents;
        this.rounds = new RepeatedRolloutRunner(deployment, oneByOneRequest(agents), agents);
        this.commits = new CommandCommitTimeReader(deployment.database());
    }

    /** As batches of one, but that nobody waits for health in between. */
    private static CreateRolloutRequest oneByOneRequest(int agents) {
        return FleetBenchmark.singleBatchRequest(agents).toBuilder().setMaxInFlight(1).build();
    }

    /** Every command of so many rollouts, after some that do not count. */
    LatencyDistribution measure(int warmUp, int measured) {
        var _ = rounds.run(warmUp);
        List<Duration> latencies = new ArrayList<>();
        for (RolloutMeasurement round : rounds.run(measured)) {
            latencies.addAll(
                    latenciesBetween(
                            commits.readCommandTimes(round.rollout()), deployment.readReceipts()));
        }
        return new LatencyDistribution(latencies);
    }

    private List<Duration> latenciesBetween(
            Map<CommandId, Instant> committed, Map<CommandId, Instant> taken) {
        if (committed.size() != agents || !taken.keySet().containsAll(committed.keySet())) {
            throw new UserFacingError(
                    "Of " + agents + " commands not every commit and receipt was noted.");
        }
        if (Set.copyOf(committed.values()).size() != agents) {
            throw new UserFacingError(
                    "Some commands were committed at once: that is no latency of one.");
        }
        return committed.entrySet().stream()
                .map(it -> Duration.between(it.getValue(), taken.get(it.getKey())))
                .toList();
    }
}
