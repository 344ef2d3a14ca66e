package drover.kit.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretFileTest {
    @TempDir private Path directory;

    @ParameterizedTest(name = "{0}, from root: {1}")
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
    void aGroupMayReadWhatRootGaveIt(String rights, boolean givenByRoot, boolean shared) {
        assertThat(SecretFile.isShared(PosixFilePermissions.fromString(rights), givenByRoot))
                .isEqualTo(shared);
    }

    @Test
    void aKeyOfOnesOwnIsForNobodyElse() throws IOException {
        Path key = Files.writeString(directory.resolve("key.pem"), "secret");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        assertThat(SecretFile.read(key)).isEqualTo("secret");

        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> SecretFile.read(key))
                .hasMessageContaining("can be read by others")
                .hasMessageContaining("defaultMode 0440");
    }
}
