package drover.standalone.cluster;

import drover.model.cluster.ClusterAssessment;
import drover.model.cluster.MemberObservation;
import drover.model.cluster.MemberObservation.Reported;
import drover.model.cluster.MemberObservation.Unreported;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Probes of all members at the same time, and the decisions about their cluster.
 *
 * @param observations in the order of the endpoints
 */
public record ClusterCheck(List<MemberObservation> observations, ClusterAssessment assessment) {
    /** Copies the list. */
    public ClusterCheck {
        observations = List.copyOf(observations);
    }

    /**
     * Probes members and assesses their cluster.
     *
     * @param drivers by endpoint
     * @param upgraded members that already run the new version
     */
    public static ClusterCheck run(
            Map<String, ClusterDriver> drivers, Set<String> upgraded, InstantSource clock) {
        List<MemberObservation> observations = probe(drivers, clock);
        // A probe that times out must not make the other reports stale.
        Instant assessedAt =
                observations.stream()
                        .filter(Reported.class::isInstance)
                        .map(each -> ((Reported) each).receivedAt())
                        .max(Instant::compareTo)
                        .orElseGet(clock::instant);
        return new ClusterCheck(
                observations, ClusterAssessment.assess(observations, upgraded, assessedAt));
    }

    private static List<MemberObservation> probe(
            Map<String, ClusterDriver> drivers, InstantSource clock) {
        List<MemberObservation> observations = new ArrayList<>();
        try (ExecutorService probes = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<MemberObservation>> pending =
                    drivers.entrySet().stream()
                            .map(
                                    each ->
                                            probes.submit(
                                                    () ->
                                                            observe(
                                                                    each.getKey(),
                                                                    each.getValue(),
                                                                    clock)))
                            .toList();
            for (Future<MemberObservation> each : pending) {
                observations.add(each.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The check was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A driver failed unexpectedly", e);
        }
        return observations;
    }

    private static MemberObservation observe(
            String endpoint, ClusterDriver driver, InstantSource clock) {
        return switch (driver.probe()) {
            case ProbeResult.Reported(var report) ->
                    new Reported(endpoint, report, clock.instant());
            case ProbeResult.Failed(String reason) -> new Unreported(endpoint, reason);
        };
    }
}
