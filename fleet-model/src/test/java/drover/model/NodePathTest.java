package drover.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NodePathTest {
    @ParameterizedTest
    @DisplayName("H11 a path cannot leave the node's root")
    @ValueSource(
            strings = {
                "",
                "/",
                "a",
                "a/b",
                "../a",
                "/..",
                "/../a",
                "/a/..",
                "/a/../b",
                "/a/./b",
                "/.",
                "//a",
                "/a//b",
                "/a/",
                "/a\u0000b",
                "/a\nb",
                "/a\u007fb"
            })
    void refusesWhatIsNotPlainlyBelowTheRoot(String text) {
        assertThatThrownBy(() -> new NodePath(text))
                .isInstanceOf(MalformedValue.class)
                .hasMessageContaining("absolute path");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/a", "/usr/local/bin/nats-server", "/a/..b", "/a/b..", "/a b/...", "/ä"})
    void takesEveryOtherAbsolutePathAsItIs(String text) {
        assertThat(new NodePath(text)).hasToString(text);
    }

    @Test
    void isAtMost1024CharactersLong() {
        assertThat(new NodePath("/" + "a".repeat(1023)).value()).hasSize(1024);
        assertThatThrownBy(() -> new NodePath("/" + "a".repeat(1024)))
                .isInstanceOf(MalformedValue.class);
    }

    @Test
    void knowsItsPartsAndItsFileName() {
        NodePath path = new NodePath("/etc/nats/nats.conf");
        assertThat(path.parts()).containsExactly("etc", "nats", "nats.conf");
        assertThat(path.fileName()).isEqualTo("nats.conf");
    }
}
