package drover.trust.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.SecureRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JoinTokenTest {
    private static final SpkiPin PIN = SpkiPin.of(CertificateRequestKeyPair.create().publicKey());

    private final JoinToken token = JoinToken.create(new SecureRandom(), PIN);

    @Test
    void aTokenIsReadAsItIsWritten() {
        assertThat(JoinToken.parse(token.text() + "\n")).isEqualTo(token);
        assertThat(token.text()).startsWith("jt1." + token.id() + ".").endsWith("." + PIN);
    }

    @Test
    @DisplayName("H14 the secret is in nothing that is printed or kept")
    void theSecretIsInNothingThatIsPrintedOrKept() {
        assertThat(token + " " + token.secretDigest()).doesNotContain(token.secret());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jt1", "jt2.a.b.c", "jt1.0123456789abcdef.short.short"})
    void anythingElseIsRefusedWithoutRepeatingIt(String text) {
        assertThatThrownBy(() -> JoinToken.parse(text))
                .hasMessage("It is no join token; one is made with: ./drover token create");
    }
}
