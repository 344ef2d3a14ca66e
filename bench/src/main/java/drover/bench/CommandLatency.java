package drover.bench;

import drover.bench.Rounds.Round;
import drover.bench.agents.Receipts.Taken;
import drover.bench.mesh.BenchMesh;
import drover.bench.mesh.CommitTimes;
import drover.machine.home.Unusable;
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
final class CommandLatency {
    private final BenchMesh mesh;
    private final int agents;
    private final Rounds rounds;
    private final CommitTimes commits;

    /**
     * @param mesh a timed one, with so many agents
     */
    CommandLatency(BenchMesh mesh, int agents) {
        this.mesh = mesh;
        this.agents = agents;
        this.rounds = new Rounds(mesh, oneByOne(agents), agents);
        this.commits = new CommitTimes(mesh.database());
    }

    /** As batches of one, but that nobody waits for health in between. */
    private static CreateRolloutRequest oneByOne(int agents) {
        return FleetCommand.everybody(agents).toBuilder().setMaxInFlight(1).build();
    }

    /** Every command of so many rollouts, after some that do not count. */
    Latencies measure(int warmUp, int measured) {
        var _ = rounds.run(warmUp);
        List<Duration> latencies = new ArrayList<>();
        for (Round round : rounds.run(measured)) {
            latencies.addAll(of(commits.ofCommands(round.rollout()), mesh.receipts()));
        }
        return new Latencies(latencies);
    }

    private List<Duration> of(Map<Taken, Instant> committed, Map<Taken, Instant> taken) {
        if (committed.size() != agents || !taken.keySet().containsAll(committed.keySet())) {
            throw new Unusable(
                    "Of " + agents + " commands not every commit and receipt was noted.");
        }
        if (Set.copyOf(committed.values()).size() != agents) {
            throw new Unusable("Some commands were committed at once: that is no latency of one.");
        }
        return committed.entrySet().stream()
                .map(it -> Duration.between(it.getValue(), taken.get(it.getKey())))
                .toList();
    }
}
