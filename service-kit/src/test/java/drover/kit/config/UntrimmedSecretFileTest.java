package drover.kit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UntrimmedSecretFileTest {
    private static final String ROOT = "this test does not run as root";

    @TempDir private Path directory;

    @Test
    void privateKeyIsReadableByItsOwnerOnly() throws IOException {
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertThat(UntrimmedSecretFile.read(key)).isEqualTo("secret");

        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> UntrimmedSecretFile.read(key))
                .hasMessageContaining("can be read by others: run chmod 600")
                .hasMessageContaining("defaultMode 0440, and no fsGroup if this service runs as");
    }

    @Test
    @DisplayName("A mounted secret of root's as the hint recommends it is read by root, too")
    void rootReadsAMountedSecretOfRoot() throws IOException {
        assumeThat(System.getProperty("user.name")).as(ROOT).isEqualTo("root");
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        for (String mode : List.of("r--r-----", "rw-r-----")) {
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
            assertThat(UntrimmedSecretFile.read(key)).isEqualTo("secret");
        }
    }

    @Test
    void anotherGroupMayNotReadAKey() throws IOException {
        assumeThat(System.getProperty("user.name")).as(ROOT).isEqualTo("root"); // gives files away
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        Files.setAttribute(key, "unix:gid", 65_534);
        assertThatThrownBy(() -> UntrimmedSecretFile.read(key))
                .hasMessageContaining("can be read by others");
    }
}
