package drover.system.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two suites (N4, decision 0109): a test that only the full suite runs names its rule, and a test
 * of the default suite that keeps a sample.
 */
class FullSuiteTest {
    private static final Path COVERAGE = Path.of("..", "docs", "coverage.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:S[0-4]|D)-\\d+) \\|");

    @TempDir Path folder;

    private TaggedTests tests(String source) throws IOException {
        Path file = Files.writeString(folder.resolve("Some.java"), source);
        return TaggedTests.in(List.of(file));
    }

    @Test
    @DisplayName("N4: each test of the full suite names its rule and a sample in the default suite")
    void eachNamesItsRuleAndItsSample() throws IOException {
        TaggedTests tests =
                TaggedTests.in(
                        JavaSources.tests().stream()
                                .filter(source -> !source.endsWith("Faults.java"))
                                .toList());

        assertThat(tests.uses()).isGreaterThan(80);
        assertThat(tests.problems(promises())).isEmpty();
    }

    private static Set<String> promises() throws IOException {
        return ROW.matcher(Files.readString(COVERAGE))
                .results()
                .map(row -> row.group(1))
                .collect(Collectors.toSet());
    }

    @Test
    void acceptsASampleOfTheDefaultSuite() throws IOException {
        TaggedTests tests =
                tests(
                        """
                        abstract class Contract { @Test void isKept() {} }

                        class FenceIT extends Contract {
                            @ParameterizedTest(name = "{0} (at {1})")
                            @CsvSource({"a", "b"}) // two
                            @Faults(rule = "B7 (at most 2 s late)", sample = "FenceIT.isKept")
                            void everyPlace(String place) {}

                            @Test
                            void onePlace() {}

                            @Nested
                            class Frozen { @Test void wakes() {} }
                        }

                        @Faults(rule = "B7 (at most 2 s late)", sample = "FenceIT.onePlace")
                        class FencingIT { @Test void another() {} }

                        @Faults(rule = "D-4 (a promise of the table)", sample = "Frozen.wakes")
                        class PromiseIT { @Test void another() {} }
                        """);

        assertThat(tests.uses()).isEqualTo(3);
        assertThat(tests.problems(Set.of("D-4"))).isEmpty();
    }

    @Test
    void reportsEachMistake() throws IOException {
        TaggedTests tests =
                tests(
                        """
                        @Faults(rule = "B7", sample = "Gone.all")
                        class OneIT { @Test void all() {} }

                        class TwoIT {
                            @Test
                            @Faults(rule = "B7 (at most 2 s late)", sample = "TwoIT.all")
                            void all() {}

                            @Test @Tag("faults") void tagged() {}

                            @Test void some() {}
                        }

                        @Faults(rule = RULE, sample = "TwoIT.tagged")
                        class ThreeIT { @Test void all() {} }

                        @Faults(rule = "B99 (at most 2 s late)", sample = "TwoIT")
                        class FourIT { @Test void all() {} }

                        @Faults(rule = "D-5 (not in the table of promises)", sample = "TwoIT.some")
                        class FiveIT { @Test void all() {} }
                        """);

        assertThat(tests.problems(Set.of("D-4")))
                .containsExactlyInAnyOrder(
                        "OneIT: no rule with its meaning: B7",
                        "OneIT: not a test of the default suite: Gone.all",
                        "TwoIT: not a test of the default suite: TwoIT.all",
                        "TwoIT: use @Faults, which names a rule and a sample",
                        "ThreeIT: no rule with its meaning: ",
                        "FourIT: no such rule: B99",
                        "FourIT: name the sample as Class.method: TwoIT",
                        "FiveIT: no such rule: D-5");
    }

    @Test
    void reportsSamplesThatABaseClassOrAnOuterClassTags() throws IOException {
        TaggedTests tests =
                tests(
                        """
                        class SomeIT { @Test void all() {} }

                        @Faults(rule = "B7 (at most 2 s late)", sample = "SomeIT.all")
                        abstract class Contract { @Test void isKept() {} }

                        class KeptIT extends Contract { @Test void more() {} }

                        class OneIT {
                            @Faults(rule = "B7 (at most 2 s late)", sample = "KeptIT.more")
                            @Test
                            void all() {}
                        }

                        @Faults(rule = "B7 (at most 2 s late)", sample = "Inner.one")
                        class OuterIT {
                            @Nested
                            class Inner { @Test void one() {} }
                        }
                        """);

        assertThat(tests.problems(Set.of()))
                .containsExactlyInAnyOrder(
                        "OneIT: not a test of the default suite: KeptIT.more",
                        "OuterIT: not a test of the default suite: Inner.one");
    }

    @Test
    void reportsASampleWhoseClassIsNotTheOnlyOneOfItsName() throws IOException {
        TaggedTests tests =
                tests(
                        """
                        class OneIT {
                            @Nested class Same { @Test void one() {} }

                            @Faults(rule = "B7 (at most 2 s late)", sample = "Same.one")
                            @Test
                            void all() {}
                        }

                        class TwoIT {
                            @Nested class Same { @Test void one() {} }
                        }
                        """);

        assertThat(tests.problems(Set.of()))
                .containsExactly("OneIT: several classes have the name of the sample: Same.one");
    }
}
