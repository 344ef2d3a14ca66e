package drover.trust.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SigningKeyTest {
    @Test
    @DisplayName("A private key that another tool wrote has the public half of RFC 8032, test 1")
    void findsThePublicHalf() {
        byte[] der =
                HexFormat.of()
                        .parseHex(
                                "302e020100300506032b657004220420"
                                        + "9d61b19deffd5a60ba844af492ec2cc4"
                                        + "4449c5697b326919703bac031cae7f60");
        String pem =
                "-----BEGIN PRIVATE KEY-----\n"
                        + Base64.getEncoder().encodeToString(der)
                        + "\n-----END PRIVATE KEY-----\n";
        SigningKey key = SigningKey.fromPem(pem);
        byte[] half =
                HexFormat.of()
                        .parseHex(
                                "302a300506032b6570032100"
                                        + "d75a980182b10ab7d54bfed3c964073a"
                                        + "0ee172f3daa62325af021a68f707511a");
        assertThat(key.verifyingKey()).isEqualTo(VerifyingKey.of(half));
        assertThat(HexFormat.of().formatHex(key.sign(new byte[0])))
                .startsWith("e5564300c360ac729086e2cc806e828a");
    }

    @Test
    void bothHalvesComeBackFromTheirFiles() {
        SigningKey key = SigningKey.create();
        assertThat(SigningKey.fromPem(key.pem()).id()).isEqualTo(key.id());
        assertThat(VerifyingKey.fromPem(key.verifyingKey().pem())).isEqualTo(key.verifyingKey());
        assertThat(SigningKey.create().id()).isNotEqualTo(key.id());
    }

    @Test
    @DisplayName("H14: a key never shows in a message")
    void logsNothingByDefault() {
        SigningKey key = SigningKey.create();
        String secret = key.pem().lines().skip(1).findFirst().orElseThrow();
        assertThat(key.toString()).doesNotContain(secret).contains(key.id().value());
        String broken = key.pem().replace("MC4", "MC5");
        assertThatThrownBy(() -> SigningKey.fromPem(broken))
                .isInstanceOf(IllegalArgumentException.class)
                .hasNoCause()
                .hasMessageNotContaining(secret);
    }

    @Test
    @DisplayName("One key has one form, so that it cannot count as two")
    void refusesAnotherFormOfAKey() {
        byte[] der = Base64.getDecoder().decode(SigningKey.create().verifyingKey().base64());
        byte[] longer = java.util.Arrays.copyOf(der, der.length + 1);
        assertThatThrownBy(() -> VerifyingKey.of(longer))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> VerifyingKey.fromPem(SigningKey.create().pem()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
