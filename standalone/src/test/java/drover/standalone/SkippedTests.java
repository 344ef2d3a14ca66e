package drover.standalone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Compares the skipped tests of all reports with the list of those that may be skipped. {@code
 * .ci/run} starts this file without compiling it first. It exits with 1 if a test is skipped that
 * is not on the list, or if there are no reports. With {@code CI=false} it only prints the tests.
 */
final class SkippedTests {
    private static final String ALL = ".*"; // tests of a class

    private SkippedTests() {}

    public static void main(String[] arguments) throws IOException {
        List<String> problems = problems(Path.of(arguments[0]), Path.of(arguments[1]));
        problems.forEach(System.out::println);
        if (!problems.isEmpty()) {
            System.out.println(
                    "Install what is missing, or list a test that CI can never run in "
                            + arguments[0]
                            + " with its reason. CI=false only prints this.");
        }
        System.exit(problems.isEmpty() || "false".equals(System.getenv("CI")) ? 0 : 1);
    }

    /**
     * One sentence for each skipped test that the list lacks.
     *
     * @param list the tests that may be skipped
     * @param root the folder of all modules
     */
    static List<String> problems(Path list, Path root) throws IOException {
        Set<String> allowed = allowed(list);
        List<Path> reports = reports(root);
        List<String> problems = new ArrayList<>();
        for (Path report : reports) {
            for (Skip skip : skipped(report)) {
                if (!allowed.contains(skip.test()) && !allowed.contains(skip.ofClass() + ALL)) {
                    problems.add("Skipped and not listed: " + skip.test() + ": " + skip.reason());
                }
            }
        }
        if (reports.isEmpty()) {
            problems.add("There are no reports of tests.");
        }
        return problems;
    }

    private record Skip(String ofClass, String method, String reason) {
        String test() {
            return ofClass + "." + method;
        }
    }

    /** The first word of each line; the others are the reason. */
    private static Set<String> allowed(Path list) throws IOException {
        try (Stream<String> lines = Files.lines(list)) {
            return lines.filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split(" ", 2)[0])
                    .collect(Collectors.toSet());
        }
    }

    private static List<Path> reports(Path root) throws IOException {
        try (Stream<Path> modules = Files.list(root)) {
            return modules.flatMap(
                            it ->
                                    Stream.of("surefire", "failsafe")
                                            .map(kind -> it.resolve("target/" + kind + "-reports")))
                    .filter(Files::isDirectory)
                    .flatMap(SkippedTests::files)
                    .filter(it -> it.getFileName().toString().matches("TEST-.*\\.xml"))
                    .sorted()
                    .toList();
        }
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names the class as the file does: the report has its display name. */
    private static List<Skip> skipped(Path report) throws IOException {
        String ofClass =
                report.getFileName()
                        .toString()
                        .replaceFirst("\\.xml$", "")
                        .replaceFirst("^.*[.-]", "");
        List<Skip> skips = new ArrayList<>();
        NodeList skipped = document(report).getElementsByTagName("skipped");
        for (int i = 0; i < skipped.getLength(); i++) {
            Element element = (Element) skipped.item(i);
            Node test = element.getParentNode();
            String method =
                    test instanceof Element named
                            ? named.getAttribute("name").replaceAll("[({\\[].*", "")
                            : "";
            String reason = element.getAttribute("message") + element.getTextContent();
            skips.add(new Skip(ofClass, method, reason.strip().lines().findFirst().orElse("")));
        }
        return skips;
    }

    private static Element document(Path report) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getDocumentElement();
        } catch (javax.xml.parsers.ParserConfigurationException | org.xml.sax.SAXException e) {
            throw new IOException(report + " is no report: " + e.getMessage(), e);
        }
    }
}
