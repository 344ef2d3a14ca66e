package drover.standalone.ci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two suites (N4, decision 0109): a test that only the full suite runs names its rule, and a test
 * of the default suite that keeps a sample.
 */
class FullSuiteTest {
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
                        TestSources.all().stream()
                                .filter(source -> !source.endsWith("Faults.java"))
                                .toList());

        assertThat(tests.uses()).isGreaterThan(80);
        assertThat(tests.problems()).isEmpty();
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
                            @Faults(rule = "B7 (a former leader delays by 2 s)", sample = "FenceIT.isKept")
                            void everyPlace(String place) {}

                            @Test
                            void onePlace() {}
                        }

                        @Faults(rule = "B7 (a former leader delays by 2 s)", sample = "FenceIT.onePlace")
                        class FencingIT { @Test void another() {} }
                        """);

        assertThat(tests.uses()).isEqualTo(2);
        assertThat(tests.problems()).isEmpty();
    }

    @Test
    void reportsEachMistake() throws IOException {
        TaggedTests tests =
                tests(
                        """
                        @Faults(rule = "B7", sample = "Gone")
                        class OneIT { @Test void all() {} }

                        class TwoIT {
                            @Test
                            @Faults(rule = "B7 (a former leader delays by 2 s)", sample = "TwoIT.all")
                            void all() {}

                            @Test @Tag("faults") void tagged() {}
                        }

                        @Faults(rule = RULE, sample = "TwoIT.tagged")
                        class ThreeIT { @Test void all() {} }
                        """);

        assertThat(tests.problems())
                .containsExactlyInAnyOrder(
                        "OneIT: no rule with its meaning: B7",
                        "OneIT: not a test of the default suite: Gone",
                        "TwoIT: not a test of the default suite: TwoIT.all",
                        "TwoIT: use @Faults, which names a rule and a sample",
                        "ThreeIT: no rule with its meaning: ");
    }
}
