package drover.manifest.source;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.document.ParseResult;
import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class YamlDocumentTest {
    private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static Stream<Arguments> bombs() {
        String laughs =
                "a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n";
        int most = FileLimits.LARGEST_FILE;
        return Stream.of(
                Arguments.of("aliases", utf8(laughs), ProblemCode.ALIAS_NOT_ALLOWED),
                Arguments.of("lists in lists", utf8("[".repeat(most)), ProblemCode.TOO_DEEP),
                Arguments.of("maps in maps", utf8("{a: ".repeat(most / 4)), ProblemCode.TOO_DEEP),
                Arguments.of("keys in keys", utf8("? ".repeat(most / 2)), ProblemCode.TOO_DEEP),
                Arguments.of("dashes", utf8("- ".repeat(most / 2)), ProblemCode.TOO_DEEP),
                Arguments.of(
                        "values",
                        utf8("[" + "a,".repeat(most / 2 - 4) + "]"),
                        ProblemCode.TOO_LARGE),
                Arguments.of(
                        "a large value",
                        utf8("a: " + "x".repeat(10_000_000)),
                        ProblemCode.TOO_LARGE),
                Arguments.of(
                        "UTF-16", "a: b".getBytes(StandardCharsets.UTF_16), ProblemCode.NOT_UTF8),
                Arguments.of(
                        "UTF-16 without a byte order mark",
                        "a: b".getBytes(StandardCharsets.UTF_16LE),
                        ProblemCode.NOT_UTF8),
                Arguments.of("NUL", utf8("a: \0"), ProblemCode.YAML_SYNTAX),
                Arguments.of("an object", utf8("!!java.net.URL [x]"), ProblemCode.TAG_NOT_ALLOWED),
                Arguments.of("nothing", utf8(""), ProblemCode.EMPTY),
                Arguments.of("a comment", utf8("# nothing\n"), ProblemCode.EMPTY),
                Arguments.of("a list as key", utf8("[a, b]: c"), ProblemCode.WRONG_TYPE),
                Arguments.of("quotes", utf8("\"".repeat(most)), ProblemCode.YAML_SYNTAX),
                Arguments.of("a directive", utf8("%YAML 9.9\n---\na: b"), ProblemCode.YAML_SYNTAX));
    }

    @DisplayName("H9 bombs are refused within 100 ms")
    @ParameterizedTest(name = "{0}")
    @MethodSource("bombs")
    void refusesBombs(String name, byte[] bytes, ProblemCode code) {
        ParseResult<YamlNode> parsed = YamlReader.read(bytes, name);
        Duration took = Duration.ofDays(1);
        for (int i = 0; i < 5; i++) { // the best of five: the first ones are compiled
            long start = THREAD.getCurrentThreadCpuTime();
            parsed = YamlReader.read(bytes, name);
            Duration once = Duration.ofNanos(THREAD.getCurrentThreadCpuTime() - start);
            took = once.compareTo(took) < 0 ? once : took;
        }

        assertThat(parsed.problems()).extracting(ValidationProblem::code).containsExactly(code);
        assertThat(took).as("processor time").isLessThan(Duration.ofMillis(100));
    }

    @Test
    @DisplayName("H10 words that other readers turn into numbers or truth stay text")
    void keepsTextAsWritten() {
        String yaml = "a: 1.10\nb: on\nc: 010\nd: no\ne: 1e3\nf: ~\ng: 2026-01-01\nh: 0x1F\n";

        YamlNode.Mapping fields =
                (YamlNode.Mapping)
                        ((ParseResult.Valid<YamlNode>) YamlReader.read(utf8(yaml), "f")).value();

        assertThat(fields.fields())
                .extracting(field -> ((YamlNode.Scalar) field.value()).value())
                .isEqualTo(List.of("1.10", "on", "010", "no", "1e3", "~", "2026-01-01", "0x1F"));
    }

    @Test
    void takesAByteOrderMarkForNothing() {
        assertThat(YamlReader.read(utf8("\uFEFFa: b"), "f").problems()).isEmpty();
    }
}
