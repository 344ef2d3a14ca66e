package drover.manifest.parse;

import drover.manifest.document.FieldLocation;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.model.NodePath;
import drover.model.program.ClusterProbe;
import java.time.Duration;
import java.util.Optional;

/** Parses the block {@code cluster} of a program. */
final class ClusterProbeParser {
    private static final String ENDPOINT = "endpoint";

    private final FieldReader reader;
    private final ProblemCollector problems;

    ClusterProbeParser(FieldReader reader, ProblemCollector problems) {
        this.reader = reader;
        this.problems = problems;
    }

    /** Reads the fields of this driver only, so that others count as unknown. */
    ClusterProbeTemplate parse() {
        String driver = reader.requiredValue("driver", ClusterProbe::requireDriver, "");
        String endpoint = parseEndpoint(driver);
        Duration interval =
                DurationReader.read(
                        reader,
                        "interval",
                        ClusterProbe.DEFAULT_INTERVAL,
                        ClusterProbe.MIN_INTERVAL,
                        ClusterProbe.MAX_INTERVAL,
                        problems);
        ClusterProbeTemplate probe =
                new ClusterProbeTemplate(
                        driver,
                        endpoint,
                        interval,
                        parseFile("ca", driver),
                        parseFile("cert", driver),
                        parseFile("key", driver),
                        parseFile("user_file", driver));
        checkFiles(probe);
        reader.addUnknownKeyProblems();
        return probe;
    }

    /** A template is checked when it is rendered for a node. */
    private String parseEndpoint(String driver) {
        if (driver.equals(ClusterProbe.ETCD) && !reader.has(ENDPOINT)) {
            reader.addMissingFieldProblem(ENDPOINT);
            return "";
        }
        String endpoint = reader.textOrFallback(ENDPOINT, "");
        FieldLocation location = reader.locationOf(ENDPOINT);
        ProfileTemplateSyntaxCheck.check(endpoint, location, problems);
        if (!endpoint.isEmpty() && !endpoint.contains("{{")) {
            check(
                    location,
                    ProblemCode.MALFORMED_URL,
                    () -> ClusterProbe.requireEndpoint(driver, endpoint));
        }
        return endpoint;
    }

    /** A driver that is missing or wrong may be meant to be etcd. */
    private Optional<NodePath> parseFile(String key, String driver) {
        NodePath standIn = new NodePath("/x");
        boolean executable = driver.startsWith("/");
        return !executable && reader.has(key)
                ? Optional.of(reader.requiredValue(key, ClusterProbe::requireFile, standIn))
                : Optional.empty();
    }

    private void checkFiles(ClusterProbeTemplate probe) {
        if (!probe.driver().isEmpty()) {
            check(
                    reader.location(),
                    ProblemCode.MISSING_FIELD,
                    () ->
                            ClusterProbe.requireFiles(
                                    probe.driver(),
                                    probe.caFile(),
                                    probe.certFile(),
                                    probe.keyFile(),
                                    probe.userFile()));
        }
    }

    private void check(FieldLocation location, ProblemCode code, Runnable rule) {
        try {
            rule.run();
        } catch (IllegalArgumentException e) {
            problems.add(location, code, FieldReader.toSentence(e));
        }
    }
}
