package drover.model.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DownloadAddressTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://files.example/web-v2",
                "http://10.0.0.1:8080/a%2Bb%2Fc~?X-Amz-Signature=abc%2Bdef#part",
                "http://[::1]:8080/web",
                "https://files.example",
                "https://files.example/@scope/web",
                "file:///srv/web-v2",
                "file:/srv/web-v2"
            })
    void keepsAnAcceptedAddressAsItIs(String text) {
        assertThat(DownloadAddress.parse(text).uri()).hasToString(text);
    }

    @Test
    @DisplayName("A scheme in capitals is accepted, and raw letters are encoded")
    void normalizesSchemeAndLetters() {
        assertThat(DownloadAddress.parse("HTTP://Files.example/ü").uri())
                .hasToString("http://Files.example/%C3%BC");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h/with space | contains a space",
                "http://h/x\u00a0y | contains a space",
                "http://h/x\ty | control character",
                "ftp://h/x | use an http, https or file address",
                "registry.example/web:v2 | use an http, https or file address",
                "http:///x | names no host",
                "http://h:99999/x | names no host",
                "http://h/{x} | percent-encode",
                "http://h/50% | percent-encode",
                "file:relative | file:///absolute/path",
                "file://host/x | file:///absolute/path"
            })
    void refusesWithTheFault(String text, String fault) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DownloadAddress.parse(text))
                .withMessageContaining(fault);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://user:SECRET@h/x",
                "https://SECRET@h/x?y",
                "http://user:SEC/RET@h/x",
                "http://h/a b?sig=SECRET"
            })
    @DisplayName("H14: a refusal contains neither credential nor query")
    void refusesWithoutTheSecret(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DownloadAddress.parse(text))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("SEC", "RET", "sig="));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://h:1/p?sig=S#f | http://h:1/p",
                "http://u:p@h/p?x@y | http://h/p",
                "https://h/@scope/web | https://h/@scope/web",
                "name:tag@sha256:ab | name:tag@sha256:ab",
                "file:/srv/x | file:/srv/x"
            })
    void redacts(String text, String shown) {
        assertThat(DownloadAddress.redact(text)).isEqualTo(shown);
    }

    @Test
    void redactsEachAddressOfAText() {
        assertThat(DownloadAddress.redactAll("status 503 for URL: http://u:p@h/x?sig=S later"))
                .isEqualTo("status 503 for URL: http://h/x later");
    }
}
