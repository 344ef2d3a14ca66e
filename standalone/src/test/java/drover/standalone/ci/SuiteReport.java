package drover.standalone.ci;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Last lines of {@code .ci/run}, which starts this file without compiling it first.
 *
 * <ul>
 *   <li>{@code red ROOT} prints module and class of each report with a failure.
 *   <li>{@code summary ROOT SKIPS [UNSTABLE…]} prints skipped tests that the list {@code SKIPS}
 *       lacks, a table by module, the classes that passed only when they were repeated, and the
 *       numbers of passed, failed and skipped tests. It exits with 1 after a failure, without any
 *       report and, with {@code CI=true}, after a skip that is not listed.
 * </ul>
 */
final class SuiteReport {
    private static final String ALL = ".*"; // tests of a class

    private final List<TestReport> reports;

    SuiteReport(List<TestReport> reports) {
        this.reports = reports;
    }

    public static void main(String[] arguments) throws IOException {
        SuiteReport suite = new SuiteReport(TestReport.readAll(Path.of(arguments[1])));
        if (arguments[0].equals("red")) {
            suite.red().forEach(System.out::println);
            return;
        }
        Set<String> listed = listed(Path.of(arguments[2]));
        List<String> unstable = List.of(arguments).subList(3, arguments.length);
        boolean strict = "true".equals(System.getenv("CI"));
        System.exit(suite.summarize(listed, unstable, strict, System.out) ? 0 : 1);
    }

    /** Reads the first word of each line; the other words are its reason. */
    static Set<String> listed(Path skips) throws IOException {
        return Files.readAllLines(skips).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> line.split(" ", 2)[0])
                .collect(Collectors.toSet());
    }

    /** Module and class of each report with a failure. */
    List<String> red() {
        return reports.stream()
                .filter(TestReport::isRed)
                .map(report -> report.module() + " " + report.className())
                .distinct()
                .toList();
    }

    /** One sentence for each skipped test that the list lacks. */
    List<String> unlistedSkips(Set<String> listed) {
        List<String> sentences = new ArrayList<>();
        for (TestReport report : reports) {
            for (TestReport.Skip skip : report.skips()) {
                String test = report.simpleName() + "." + skip.method();
                if (!listed.contains(test) && !listed.contains(report.simpleName() + ALL)) {
                    sentences.add("Skipped and not listed: " + test + ": " + skip.reason());
                }
            }
        }
        return sentences;
    }

    /** Prints the summary. Returns whether the run is green. */
    boolean summarize(Set<String> listed, List<String> unstable, boolean strict, PrintStream out) {
        List<String> skips = unlistedSkips(listed);
        skips.forEach(out::println);
        if (strict && !skips.isEmpty()) {
            out.println(
                    "Install what is missing, or list a test that CI can never run in .ci/skips"
                            + " with its reason.");
        }
        table().forEach(out::println);
        red().forEach(test -> out.println("red: " + test));
        Set<String> red = Set.copyOf(red());
        unstable.stream()
                .filter(test -> !red.contains(test))
                .forEach(test -> out.println("unstable: " + test));
        if (reports.isEmpty()) {
            out.println("There are no test reports. Read the log above: the build failed early.");
        }
        int failed = reports.stream().mapToInt(TestReport::failed).sum();
        int skipped = reports.stream().mapToInt(report -> report.skips().size()).sum();
        int passed = reports.stream().mapToInt(TestReport::tests).sum() - failed - skipped;
        out.printf("%d passed, %d failed, %d skipped%n", passed, failed, skipped);
        return failed == 0 && !reports.isEmpty() && (!strict || skips.isEmpty());
    }

    private record Row(int tests, int skipped, double seconds) {
        Row plus(TestReport report) {
            return new Row(
                    tests + report.tests(),
                    skipped + report.skips().size(),
                    seconds + report.seconds());
        }
    }

    private List<String> table() {
        Map<String, Row> rows = new LinkedHashMap<>();
        Row total = new Row(0, 0, 0);
        for (TestReport report : reports) {
            Row row = rows.getOrDefault(report.module(), new Row(0, 0, 0));
            rows.put(report.module(), row.plus(report));
            total = total.plus(report);
        }
        rows.put("all", total);
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-22s%8s%9s%9s", "module", "tests", "skipped", "s"));
        rows.forEach(
                (module, row) ->
                        lines.add(
                                String.format(
                                        Locale.ROOT,
                                        "%-22s%8d%9d%9.0f",
                                        module,
                                        row.tests(),
                                        row.skipped(),
                                        row.seconds())));
        return lines;
    }
}
