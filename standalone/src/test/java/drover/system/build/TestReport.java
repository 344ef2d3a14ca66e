package drover.system.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Report of one test class, as Surefire and Failsafe write it.
 *
 * @param className with its package, taken from the file: the report has the display name
 * @param tests number of all tests, skipped ones included
 * @param seconds wall-clock time of the class
 */
record TestReport(
        String module, String className, int tests, int failed, double seconds, List<Skip> skips) {
    /** A line without the words that JUnit and AssertJ put before the reason of a test. */
    private static final Pattern REASON =
            Pattern.compile(
                    "(?:[\\w.$]+(?:Exception|Error)(?::|$)|Assumption failed:"
                            + "|assumption was not met due to:|\\s)*(?:\\[(.*)\\]|(.*?))\\s*");

    /**
     * One skipped test.
     *
     * @param method empty if the class was skipped as a whole
     */
    record Skip(String method, String reason) {}

    /** Reads the reports of all modules below a folder, sorted by module and class. */
    static List<TestReport> readAll(Path root) throws IOException {
        List<TestReport> reports = new ArrayList<>();
        for (Path module : list(root)) {
            for (String kind : List.of("surefire", "failsafe")) {
                for (Path file : list(module.resolve("target/" + kind + "-reports"))) {
                    if (file.getFileName().toString().matches("TEST-.*\\.xml")) {
                        reports.add(read(module.getFileName().toString(), file));
                    }
                }
            }
        }
        return reports;
    }

    /** Name without the package. */
    String simpleName() {
        return className.replaceFirst("^.*\\.", "");
    }

    boolean isRed() {
        return failed > 0;
    }

    private static TestReport read(String module, Path file) throws IOException {
        Element suite = document(file);
        return new TestReport(
                module,
                file.getFileName().toString().replaceAll("^TEST-|(\\$.*)?\\.xml$", ""),
                number(suite, "tests"),
                number(suite, "failures") + number(suite, "errors"),
                Double.parseDouble(suite.getAttribute("time").replace(",", "")),
                skips(suite));
    }

    private static List<Skip> skips(Element suite) {
        List<Skip> skips = new ArrayList<>();
        NodeList skipped = suite.getElementsByTagName("skipped");
        for (int i = 0; i < skipped.getLength(); i++) {
            Element element = (Element) skipped.item(i);
            String method =
                    element.getParentNode() instanceof Element test
                            ? test.getAttribute("name").replaceAll("[({\\[].*", "")
                            : "";
            String text = element.getAttribute("message") + "\n" + element.getTextContent();
            skips.add(new Skip(method, reason(text)));
        }
        return skips;
    }

    /** First line that is not empty. The exception may come before it, or in a line of its own. */
    private static String reason(String text) {
        return text.lines()
                .takeWhile(line -> !line.startsWith("\tat "))
                .map(REASON::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1) == null ? line.group(2) : line.group(1))
                .map(line -> line.replaceFirst("^(?i:skipped):", "").strip())
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("no reason given");
    }

    private static int number(Element suite, String attribute) {
        return Integer.parseInt(suite.getAttribute(attribute));
    }

    private static Element document(Path file) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(file.toFile())
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(file + " is not a test report: " + e.getMessage(), e);
        }
    }

    /** Entries of a folder, sorted; none if it does not exist. */
    static List<Path> list(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }
}
