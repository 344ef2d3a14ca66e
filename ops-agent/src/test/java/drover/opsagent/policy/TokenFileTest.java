package drover.opsagent.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Modes of files with tokens. */
final class TokenFileTest {
    @TempDir Path folder;

    private Path token(String mode) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "secret\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    @Test
    void readsAFileThatOnlyItsOwnerMayRead() throws IOException {
        assertThat(TokenFile.read(token("rw-------"))).isEqualTo("secret\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-r--r--"})
    void rejectsAFileThatOtherUsersMayReadOrWrite(String mode) throws IOException {
        Path file = token(mode);
        assertThatThrownBy(() -> TokenFile.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("can be read by other users: run chmod 600");
    }

    @ParameterizedTest
    @CsvSource({"r--r-----, true, false", "r--r-----, false, true", "r--r--r--, true, true"})
    void allowsAMountedSecretThatOneGroupMayRead(String mode, boolean mounted, boolean shared) {
        assertThat(TokenFile.isShared(PosixFilePermissions.fromString(mode), mounted))
                .isEqualTo(shared);
    }
}
