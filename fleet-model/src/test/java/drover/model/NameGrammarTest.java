package drover.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.program.BinaryName;
import drover.model.program.RuntimeName;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** H15: every name has a strict grammar, so that none can be a path, a flag or a line. */
final class NameGrammarTest {
    /** A type of name, as its constructor. */
    record Grammar(String name, Function<String, Object> parse, int longest) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static final Grammar NODE = new Grammar("NodeId", NodeId::new, 63);
    private static final Grammar TYPE = new Grammar("NodeType", NodeType::new, 63);
    private static final Grammar ROLLOUT = new Grammar("RolloutId", RolloutId::new, 63);
    private static final Grammar UPGRADE = new Grammar("UpgradeId", UpgradeId::new, 100);
    private static final Grammar CHAIN = new Grammar("ChainProfileId", ChainProfileId::new, 100);
    private static final Grammar BINARY = new Grammar("BinaryName", BinaryName::new, 100);
    private static final Grammar VERSION = new Grammar("Version", Version::new, 50);
    private static final Grammar RUNTIME = new Grammar("RuntimeName", RuntimeName::new, 32);

    static Stream<Grammar> grammars() {
        return Stream.of(NODE, TYPE, ROLLOUT, UPGRADE, CHAIN, BINARY, VERSION, RUNTIME);
    }

    static Stream<Arguments> refusals() {
        return grammars()
                .flatMap(
                        grammar ->
                                Stream.of(
                                                "", " ", "a b", "-a", "a-", ".", "..", "../a",
                                                "a/b", "/a", "a\n", "a\u0000", "ä", "a$b", "{a}")
                                        .map(text -> Arguments.of(grammar, text)));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesWhatCouldBeSomethingElse(Grammar grammar, String text) {
        assertThatThrownBy(() -> grammar.parse().apply(text))
                .isInstanceOf(MalformedValue.class)
                .hasMessageContaining("use 1 to " + grammar.longest());
    }

    @ParameterizedTest
    @MethodSource("grammars")
    void takesOneLetterAndTheLongestAndNoMore(Grammar grammar) {
        assertThat(grammar.parse().apply("a")).hasToString("a");
        String longest = "a".repeat(grammar.longest());
        assertThat(grammar.parse().apply(longest)).hasToString(longest);
        assertThatThrownBy(() -> grammar.parse().apply(longest + "a"))
                .isInstanceOf(MalformedValue.class);
    }

    @Test
    void aUuidIsANodeIdAndUpperCaseIsNot() {
        String uuid = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e").toString();
        assertThat(new NodeId(uuid)).hasToString(uuid);
        assertThatThrownBy(() -> new NodeId("Edge-1")).isInstanceOf(MalformedValue.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.10", "v1.2.3-rc.1+build_7", "2024-01-01", "on", "010"})
    void aVersionStaysTheTextItIs(String text) {
        assertThat(new Version(text)).hasToString(text);
    }

    @Test
    void differentlyWrittenVersionsAreDifferent() {
        assertThat(new Version("1.10")).isNotEqualTo(new Version("1.1"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sha256:",
                "sha256:0123",
                "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "sha256:0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
                "md5:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
                "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"
            })
    void aDigestIsSha256AndNothingElse(String text) {
        assertThatThrownBy(() -> new Digest(text)).isInstanceOf(MalformedValue.class);
    }

    @Test
    void theDigestOfNothingIsTheKnownOne() {
        assertThat(Digest.of(new byte[0]))
                .hasToString(
                        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assertThat(Digest.of("").shortHex()).isEqualTo("e3b0c44298fc");
    }

    @Test
    void aLongTextIsShortenedInTheRefusal() {
        assertThatThrownBy(() -> new NodeId("x".repeat(5000)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(300));
    }
}
