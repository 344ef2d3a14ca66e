package drover.kit.start;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretFileTest {
    @TempDir private Path directory;

    @ParameterizedTest(name = "{0}, a group that may: {1}")
    @DisplayName("H14 who may read a key beside its owner")
    @CsvSource({
        "rw-------, false, false",
        "r--------, true, false",
        "r--r-----, true, false", // a mounted secret with an fsGroup
        "rw-r-----, true, false",
        "r--r-----, false, true",
        "rw-rw----, true, true",
        "r--r-x---, true, true",
        "rw-r--r--, true, true",
        "rw----r--, true, true"
    })
    void aGroupMayReadAndNothingElse(String rights, boolean groupMayRead, boolean shared) {
        assertThat(SecretFile.isShared(PosixFilePermissions.fromString(rights), groupMayRead))
                .isEqualTo(shared);
    }

    @Test
    void aKeyOfOnesOwnIsForNobodyElse() throws IOException {
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertThat(SecretFile.read(key)).isEqualTo("secret");

        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> SecretFile.read(key))
                .hasMessageContaining("can be read by others")
                .hasMessageContaining("defaultMode 0440");
    }

    @Test
    @DisplayName("A mounted secret of root's as the hint recommends it is read by root, too")
    void theOwnPrimaryGroupMayReadAKey() throws IOException {
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        Object own = Files.getAttribute(Path.of("/proc/self"), "unix:gid");
        assertThat(Files.getAttribute(key, "unix:gid")).isEqualTo(own);
        for (String mode : List.of("r--r-----", "rw-r-----")) {
            Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
            assertThat(SecretFile.read(key)).isEqualTo("secret");
        }
    }

    @Test
    void anotherGroupMayNotReadAKey() throws IOException {
        assumeThat(System.getProperty("user.name")).isEqualTo("root"); // gives files away
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        Files.setAttribute(key, "unix:gid", 65_534);
        assertThatThrownBy(() -> SecretFile.read(key))
                .hasMessageContaining("can be read by others");
    }
}
