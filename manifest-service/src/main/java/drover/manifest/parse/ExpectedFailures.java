package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.manifest.document.YamlNode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Failures that a manifest declares in advance: they do not count towards a rollout's threshold
 * (seed 003, unresolved issues: failures that can be expected).
 *
 * @param reasons stable codes of failures, for example {@code DISK_FULL}
 * @param maxNodes so many of them do not count; any more do
 */
public record ExpectedFailures(List<String> reasons, int maxNodes) {
    /** None is expected. */
    public static final ExpectedFailures NONE = new ExpectedFailures(List.of(), 0);

    private static final Pattern REASON = Pattern.compile("[A-Z][A-Z0-9_]{1,63}");
    private static final int MOST_REASONS = 20;
    private static final int MOST_NODES = 10_000; // a rollout takes no more

    public ExpectedFailures {
        reasons = List.copyOf(reasons);
    }

    /** Reads them; a cap is required, so that nobody declares every failure harmless. */
    static ExpectedFailures read(FieldReader manifest, ProblemCollector problems) {
        Optional<YamlNode> node = manifest.node("expected_failures");
        if (node.isEmpty()) {
            return NONE;
        }
        FieldReader fields = FieldReader.of(node.get(), problems);
        List<String> reasons = fields.textList("reasons", MOST_REASONS);
        if (reasons.isEmpty()) {
            fields.addMissingFieldProblem("reasons");
        }
        reasons.stream()
                .filter(reason -> !REASON.matcher(reason).matches())
                .forEach(reason -> addMalformedReason(fields, reason, problems));
        if (!fields.has("max_nodes")) {
            fields.addMissingFieldProblem("max_nodes");
        }
        int atMost = (int) WholeNumberReader.read(fields, "max_nodes", 1, 1, MOST_NODES, problems);
        fields.addUnknownKeyProblems();
        return new ExpectedFailures(reasons, atMost);
    }

    private static void addMalformedReason(
            FieldReader fields, String reason, ProblemCollector problems) {
        problems.add(
                fields.locationOf("reasons"),
                ProblemCode.MALFORMED_NAME,
                "'"
                        + FieldReader.shorten(reason)
                        + "' is no reason of a failure: write its code, such as DISK_FULL.");
    }
}
