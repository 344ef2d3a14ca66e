package drover.system.build;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Last lines of {@code .ci/run}, which compiles this file and {@link TestReport} alone.
 *
 * <ul>
 *   <li>{@code red ROOT} prints module and class of each report with a failure.
 *   <li>{@code summary ROOT SKIPS [UNSTABLE…]} prints skipped tests (with {@code CI=true} those
 *       that the list {@code SKIPS} lacks), a table by module, the classes that passed only when
 *       they were repeated, and the numbers of passed, failed and skipped tests. It exits with 1
 *       after a failure, if a module with tests has no report and, with {@code CI=true}, after a
 *       skip that is not listed.
 * </ul>
 */
final class SuiteReport {
    private static final String ALL = ".*"; // tests of a class

    private final List<String> modules; // that have tests
    private final List<TestReport> reports;

    private SuiteReport(List<String> modules, List<TestReport> reports) {
        this.modules = modules;
        this.reports = reports;
    }

    /** Reads the reports of all modules below a folder. */
    static SuiteReport read(Path root) throws IOException {
        List<String> modules =
                TestReport.list(root).stream()
                        .filter(module -> Files.isDirectory(module.resolve("src/test/java")))
                        .map(module -> module.getFileName().toString())
                        .toList();
        return new SuiteReport(modules, TestReport.readAll(root));
    }

    public static void main(String[] arguments) throws IOException {
        SuiteReport suite = read(Path.of(arguments[1]));
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

    /** Modules with tests and without a report: the build or the test JVM ended too early. */
    List<String> withoutReport() {
        Set<String> reported = reports.stream().map(TestReport::module).collect(Collectors.toSet());
        return modules.stream().filter(module -> !reported.contains(module)).toList();
    }

    /** Name and reason of each skipped test that the list lacks. */
    List<String> unlistedSkips(Set<String> listed) {
        Set<String> sentences = new LinkedHashSet<>(); // one for all parameters of a test
        for (TestReport report : reports) {
            String type = report.simpleName();
            for (TestReport.Skip skip : report.skips()) {
                String test = skip.method().isEmpty() ? type : type + "." + skip.method();
                if (!listed.contains(test) && !listed.contains(type + ALL)) {
                    sentences.add(test + ": " + skip.reason());
                }
            }
        }
        return List.copyOf(sentences);
    }

    /** Prints the summary. Returns whether the run is green. */
    boolean summarize(Set<String> listed, List<String> unstable, boolean strict, PrintStream out) {
        List<String> skips = unlistedSkips(strict ? listed : Set.of());
        String skipped = strict ? "Skipped and not listed: " : "Skipped: ";
        skips.forEach(skip -> out.println(skipped + skip));
        if (strict && !skips.isEmpty()) {
            out.println(
                    "Install what is missing, or list a test that CI can never run in .ci/skips"
                            + " with its reason.");
        }
        table().forEach(out::println);
        withoutReport().forEach(module -> out.println("red: no test report of " + module));
        red().forEach(test -> out.println("red: " + test));
        Set<String> red = Set.copyOf(red());
        unstable.stream()
                .filter(test -> !red.contains(test))
                .forEach(test -> out.println("unstable: " + test));
        if (reports.isEmpty()) {
            out.println("There are no test reports. Read the log above: the build failed early.");
        }
        int failed = printCounts(out);
        boolean complete = !reports.isEmpty() && withoutReport().isEmpty();
        return failed == 0 && complete && (!strict || skips.isEmpty());
    }

    /** Returns the number of failed tests. */
    private int printCounts(PrintStream out) {
        int failed = reports.stream().mapToInt(TestReport::failed).sum();
        int skipped = reports.stream().mapToInt(report -> report.skips().size()).sum();
        int passed = reports.stream().mapToInt(TestReport::tests).sum() - failed - skipped;
        out.printf("%d passed, %d failed, %d skipped%n", passed, failed, skipped);
        return failed;
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
