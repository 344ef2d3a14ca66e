package drover.opsagent.probe;

import drover.model.cluster.ClusterReport;
import java.time.Duration;
import java.util.Optional;

/**
 * State of a cluster as the latest probe of its member returned it.
 *
 * @param report of the present run; empty if there is none that counts
 * @param age of the report; zero without one
 * @param problem why there is no report, in one sentence; empty with one
 */
public record ClusterReading(Optional<ClusterReport> report, Duration age, String problem) {
    static ClusterReading reported(ClusterReport report, Duration age) {
        return new ClusterReading(Optional.of(report), age, "");
    }

    static ClusterReading noReport(String problem) {
        return new ClusterReading(Optional.empty(), Duration.ZERO, problem);
    }
}
