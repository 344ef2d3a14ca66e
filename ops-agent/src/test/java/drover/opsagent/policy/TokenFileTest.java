package drover.opsagent.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Modes of files with tokens. */
final class TokenFileTest {
    private static final String ROOT = "this test does not run as root";

    @TempDir Path folder;

    private Path token(String mode) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "secret\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void readsAFileThatOnlyItsOwnerMayRead() throws IOException {
        assertThat(TokenFile.readUnstripped(token("rw-------"))).isEqualTo("secret\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw----r--", "rw--w----", "rw-r--r--", "r--r-x---"})
    void rejectsAFileThatOtherUsersMayReadOrWrite(String mode) throws IOException {
        Path file = token(mode);
        assertThatThrownBy(() -> TokenFile.readUnstripped(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        file
                                + " can be read by other users: run chmod 600. A mounted secret"
                                + " needs defaultMode 0440, and no fsGroup if the agent runs as"
                                + " root.");
    }

    @Test
    void rootReadsAMountedSecretOfRoot() throws IOException {
        assumeThat(System.getProperty("user.name")).as(ROOT).isEqualTo("root");
        assertThat(TokenFile.readUnstripped(token("r--r-----"))).isEqualTo("secret\n");
    }

    @Test
    void rejectsAFileThatAnotherGroupMayRead() throws IOException {
        assumeThat(System.getProperty("user.name")).as(ROOT).isEqualTo("root"); // gives files away
        Path file = token("r--r-----");
        Files.setAttribute(file, "unix:gid", 65_534);
        assertThatThrownBy(() -> TokenFile.readUnstripped(file))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
