package drover.standalone;

import static org.junit.jupiter.api.Assumptions.abort;

/** Tests of the whole mesh are skipped, and say so, where a part of it is not on the class path. */
final class WholeBuild {
    private WholeBuild() {}

    static void require(String... programs) {
        for (String program : programs) {
            try {
                Class.forName(program);
            } catch (ClassNotFoundException e) {
                abort("Skipped: " + program + " is not part of this build");
            }
        }
    }

    static void requireEverything() {
        require(
                "drover.manifest.ManifestService",
                "drover.gateway.NodeGateway",
                "drover.evaluator.HealthEvaluator",
                "drover.opsagent.OpsAgent",
                "drover.coordinator.RolloutCoordinator");
    }
}
