package drover.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.cli.terminal.CommandFailed;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
    @TempDir private Path directory;

    @Test
    void isPlainByDefault() {
        ServerAddress plain = ServerAddress.parse("127.0.0.1:9090", "");
        assertThat(plain.host()).isEqualTo("127.0.0.1");
        assertThat(plain.port()).isEqualTo(9090);
        assertThat(plain.credentials()).isInstanceOf(InsecureChannelCredentials.class);

        ServerAddress secure = ServerAddress.parse("https://drover.example.net:9090", "");
        assertThat(secure.host()).isEqualTo("drover.example.net");
        assertThat(secure.credentials()).isInstanceOf(TlsChannelCredentials.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nowhere", "https://", "https://host", "host:0", "host:65536"})
    void refusesWhatIsNoAddress(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text, ""))
                .isInstanceOf(CommandFailed.class)
                .hasMessageContaining("--server does not take '" + text + "'");
    }

    @Test
    void refusesAFileWithoutAnAuthority() throws IOException {
        Path missing = directory.resolve("missing.pem");
        assertThatThrownBy(() -> ServerAddress.parse("host:9090", missing.toString()))
                .isInstanceOf(CommandFailed.class)
                .hasMessageContaining("cannot be read");
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");
        Path words = Files.writeString(directory.resolve("words.pem"), "no certificate");
        for (Path file : new Path[] {empty, words}) {
            assertThatThrownBy(() -> ServerAddress.parse("host:9090", file.toString()))
                    .isInstanceOf(CommandFailed.class)
                    .hasMessageContaining("holds no certificate of an authority");
        }
    }
}
