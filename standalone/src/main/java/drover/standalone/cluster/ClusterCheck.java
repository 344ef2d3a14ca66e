package drover.standalone.cluster;

import drover.model.cluster.ClusterAssessment;
import drover.model.cluster.MemberObservation;
import drover.model.cluster.MemberObservation.Reported;
import drover.model.cluster.MemberObservation.Unreported;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

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
     * Probes members and assesses their cluster. Members whose report became stale while another
     * probe ran are probed once more.
     *
     * @param drivers by endpoint
     * @param upgraded members that already run the new version
     */
    public static ClusterCheck run(
            Map<String, ClusterDriver> drivers, Set<String> upgraded, Ticker ticker) {
        Map<String, TimedProbe> first = probe(drivers, ticker);
        Map<String, ClusterDriver> stale = new LinkedHashMap<>(drivers);
        stale.keySet().removeIf(each -> isUsable(first.get(each), ticker));
        Map<String, TimedProbe> probes = new LinkedHashMap<>(first);
        probes.putAll(probe(stale, ticker));
        List<MemberObservation> observations = new ArrayList<>();
        probes.forEach((endpoint, each) -> observations.add(each.observe(endpoint, ticker)));
        return new ClusterCheck(observations, ClusterAssessment.assess(observations, upgraded));
    }

    /** While one probe runs into its timeout, the reports of the others become stale. */
    private static boolean isUsable(@Nullable TimedProbe probe, Ticker ticker) {
        return probe != null
                && !(probe.observe("", ticker) instanceof Reported reported
                        && !ClusterAssessment.isCurrent(reported));
    }

    /**
     * Result of a probe.
     *
     * @param startedNanos reading of the monotonic clock
     */
    private record TimedProbe(ProbeResult result, long startedNanos) {
        MemberObservation observe(String endpoint, Ticker ticker) {
            return switch (result) {
                case ProbeResult.Reported(var report) ->
                        new Reported(
                                endpoint, report, Duration.ofNanos(ticker.nanos() - startedNanos));
                case ProbeResult.Failed(String reason) -> new Unreported(endpoint, reason);
            };
        }
    }

    private static Map<String, TimedProbe> probe(
            Map<String, ClusterDriver> drivers, Ticker ticker) {
        Map<String, TimedProbe> results = new LinkedHashMap<>();
        try (ExecutorService probes = Executors.newVirtualThreadPerTaskExecutor()) {
            Map<String, Future<TimedProbe>> pending = new LinkedHashMap<>();
            drivers.forEach(
                    (endpoint, driver) ->
                            pending.put(endpoint, probes.submit(() -> probe(driver, ticker))));
            for (Map.Entry<String, Future<TimedProbe>> each : pending.entrySet()) {
                results.put(each.getKey(), each.getValue().get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The check was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("A driver failed unexpectedly", e);
        }
        return results;
    }

    private static TimedProbe probe(ClusterDriver driver, Ticker ticker) {
        long started = ticker.nanos();
        return new TimedProbe(driver.probe(), started);
    }
}
