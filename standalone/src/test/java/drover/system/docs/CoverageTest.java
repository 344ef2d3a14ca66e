package drover.system.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The table of promises tells of what is there: each class and test that it names is in the tree,
 * and whoever moves one is told which promises it kept.
 */
class CoverageTest {
    private static final Path DOCS = Path.of("../docs");
    private static final int FEWEST = 150; // else the pattern of a row finds nothing any more
    private static final Pattern ROW = Pattern.compile("(?m)^\\|(.*)\\|$");
    private static final Pattern ID = Pattern.compile("(S[0-4]|D)-[1-9][0-9]*");
    private static final Pattern NAME = Pattern.compile("\\[([^\\]]+)\\]");
    private static final Pattern LEADS_TO = Pattern.compile("(?m)^\\[([^\\]]+)\\]: (\\S+)$");
    private static final Pattern IS_TESTED =
            Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\\b");

    /** One promise. */
    private record Promise(String id, String words, String keptBy, String testsColumn) {
        List<String> keepers() {
            return names(keptBy);
        }

        List<String> tests() {
            return names(testsColumn);
        }
    }

    /** The page, and where each name in brackets leads to. */
    private record Page(List<Promise> promises, Map<String, Path> places) {}

    @Test
    void everyPromiseNamesWhatIsThere() throws IOException {
        Page page = read(Files.readString(DOCS.resolve("coverage.md")));
        assertThat(page.promises()).hasSizeGreaterThan(FEWEST);
        assertThat(problems(page)).isEmpty();
    }

    @Test
    void problemsAreReportedWithTheirId() throws IOException {
        Page page =
                read(
                        """
                        | id | promise | kept by | proved by |
                        |---|---|---|---|
                        | S0-1 | Kept | [House], [Nobody] | [House] |
                        | S0-1 | Twice | planned: groups | - |
                        | S0-2 | | planned: groups | - |
                        | S0-3 | Kept by words | some class | - |
                        | S0-4 | Planned and proved | planned: groups | [Proof] |
                        | S0-5 | Three cells | - |
                        | S0-6 | Moved | [Gone] | - |

                        [House]: ../README.md
                        [Gone]: ../no/Such.java
                        [Proof]: ../standalone/src/test/java/drover/system/docs/CoverageTest.java
                        [Unused]: ../README.md
                        """);
        assertThat(problems(page))
                .containsExactlyInAnyOrder(
                        "S0-1: [Nobody] leads nowhere",
                        "S0-1: [House] is no class with a test in it",
                        "S0-1: is there twice",
                        "S0-2: has an empty cell",
                        "S0-3: is neither kept by a class, nor planned, nor outside",
                        "S0-4: is planned only and cannot be proved",
                        "S0-5: has not four cells",
                        "S0-6: ../no/Such.java is not there",
                        "[Unused] is named by no promise");
    }

    private static List<String> problems(Page page) throws IOException {
        List<String> problems = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> unused = new HashSet<>(page.places().keySet());
        for (Promise promise : page.promises()) {
            of(promise, page, ids.add(promise.id()))
                    .forEach(problem -> problems.add(promise.id() + ": " + problem));
            promise.keepers().forEach(unused::remove);
            promise.tests().forEach(unused::remove);
        }
        unused.forEach(name -> problems.add("[" + name + "] is named by no promise"));
        return problems;
    }

    private static List<String> of(Promise promise, Page page, boolean isNew) throws IOException {
        if (promise.keptBy().isEmpty() && promise.testsColumn().isEmpty()) {
            return List.of("has not four cells");
        }
        List<String> problems = new ArrayList<>();
        if (!isNew) {
            problems.add("is there twice");
        }
        if (!ID.matcher(promise.id()).matches()) {
            problems.add("is no id");
        }
        if (Stream.of(promise.words(), promise.keptBy(), promise.testsColumn())
                .anyMatch(String::isBlank)) {
            problems.add("has an empty cell");
        }
        problems.addAll(unproven(promise));
        promise.keepers().forEach(name -> problems.addAll(place(name, page)));
        for (String name : promise.tests()) {
            problems.addAll(place(name, page));
            Path place = page.places().get(name);
            if (place != null && !isTested(place)) {
                problems.add("[" + name + "] is no class with a test in it");
            }
        }
        return problems;
    }

    /** Whether what is said of who keeps it fits what is said of who proves it. */
    private static List<String> unproven(Promise promise) {
        boolean outside = promise.keptBy().startsWith("outside: ");
        boolean planned = promise.keptBy().startsWith("planned: ");
        boolean kept = promise.keepers().stream().anyMatch(name -> !isDecision(name));
        List<String> problems = new ArrayList<>();
        if (!outside && !planned && !kept) {
            problems.add("is neither kept by a class, nor planned, nor outside");
        }
        if (planned && !promise.testsColumn().equals("-")) {
            problems.add("is planned only and cannot be proved");
        }
        if (promise.tests().isEmpty() && !promise.testsColumn().matches("-?")) {
            problems.add("is proved by no test: write its name in brackets, or -");
        }
        return problems;
    }

    /** A decision is named by its number; it keeps nothing by itself. */
    private static boolean isDecision(String name) {
        return name.matches("[0-9]{4}");
    }

    private static List<String> place(String name, Page page) {
        Path place = page.places().get(name);
        if (place == null) {
            return List.of("[" + name + "] leads nowhere");
        }
        return Files.isRegularFile(DOCS.resolve(place))
                ? List.of()
                : List.of(place + " is not there");
    }

    private static boolean isTested(Path place) throws IOException {
        Path file = DOCS.resolve(place);
        return place.toString().contains("/src/test/java/")
                && Files.isRegularFile(file)
                && IS_TESTED.matcher(Files.readString(file)).find();
    }

    private static Page read(String text) {
        List<Promise> promises =
                ROW.matcher(text)
                        .results()
                        .map(row -> cells(row.group(1)))
                        .filter(cells -> !cells.getFirst().matches("id|-+"))
                        .map(CoverageTest::promise)
                        .toList();
        Map<String, Path> places = new TreeMap<>();
        Matcher place = LEADS_TO.matcher(text);
        while (place.find()) {
            places.put(place.group(1), Path.of(place.group(2)));
        }
        return new Page(promises, places);
    }

    private static List<String> cells(String row) {
        return Pattern.compile("\\|").splitAsStream(row).map(String::strip).toList();
    }

    /** A row of another length has no fourth cell, which is a problem of its own. */
    private static Promise promise(List<String> cells) {
        return cells.size() == 4
                ? new Promise(cells.get(0), cells.get(1), cells.get(2), cells.get(3))
                : new Promise(cells.getFirst(), String.join(" ", cells), "", "");
    }

    private static List<String> names(String cell) {
        return NAME.matcher(cell)
                .results()
                .map((MatchResult name) -> name.group(1))
                .distinct()
                .toList();
    }
}
