package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files about private hosts are believed. */
class HostAccessFileTest {
    @TempDir Path directory;
    private Path secret;

    @BeforeEach
    void aSecret() throws IOException {
        secret = Files.writeString(directory.resolve("secret"), "canary\n");
        mode(secret, "rw-------");
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void readsHowAHostIsReached() throws IOException {
        HostAccessByOrigin hosts =
                read("{'https://a.example': {'bearer_file': 'SECRET', 'proxy': 'p.example:3128'}}");
        HostConnectionSettings access = hosts.accessTo(URI.create("https://A.example:443/x"));
        assertThat(access.credential()).isEqualTo(new HostCredential.BearerTokenFile(secret));
        assertThat(access.proxy().type()).isEqualTo(Proxy.Type.HTTP);
        for (String other :
                new String[] {"https://a.example:8443/x", "http://a.example/x", "https://b/x"}) {
            assertThat(hosts.accessTo(URI.create(other))).isEqualTo(HostConnectionSettings.PLAIN);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-r-----", "rw----r--", "rw--w----", "rw-rw-rw-"})
    @DisplayName("H14: a secret that others may read is refused")
    void refusesASecretThatOthersMayRead(String permissions) throws IOException {
        mode(secret, permissions);
        assertThatThrownBy(() -> read("{'https://a.example': {'bearer_file': 'SECRET'}}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(secret + " must be a plain file")
                .hasMessageContaining("mode 0600")
                .hasMessageNotContaining("canary");
    }

    @Test
    void refusesAListThatOthersMayRead() throws IOException {
        Path list = Files.writeString(directory.resolve("hosts.json"), "{}");
        mode(list, "rw-r--r--");
        assertThatThrownBy(() -> HostAccessFile.read(list)).hasMessageContaining("mode 0600");
    }

    @Test
    @DisplayName("H14: a secret behind a link, or where others may exchange it, is refused")
    void refusesASecretBehindALink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), secret);
        assertThatThrownBy(() -> ProtectedFileReader.readPrivate(link))
                .hasMessageContaining("plain file");
        Path open = Files.createDirectory(directory.resolve("open"));
        Path inside = Files.writeString(open.resolve("secret"), "canary");
        mode(inside, "rw-------");
        mode(open, "rwxrwxrwx");
        assertThatThrownBy(() -> ProtectedFileReader.readPrivate(inside))
                .hasMessageContaining(open + " must be a plain directory");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'http://a.example': {'bearer_file': 'SECRET'}} | use https",
                "{'a.example': {'bearer_file': 'SECRET'}} | is no origin",
                "{'https://u:canary@a.example': {}} | is no origin",
                "{'https://a.example/path': {}} | is no origin",
                "{'https://a.example': {}, 'https://a.example:443': {}} | is listed twice",
                "{'https://a.example': {'user': 'me'}} | takes user and password_file together",
                "{'https://a.example': {'bearer_file': 'SECRET', 'user': 'm', 'password_file': 'SECRET'}} | takes user",
                "{'https://a.example': {'token': 'canary'}} | is not the JSON",
                "{'https://a.example': {'proxy': 'somewhere'}} | is no proxy",
                "{'https://a.example': {'bearer_file': 'relative'}} | is no absolute path",
                "{'https://a.example': {'ca_file': 'SECRET'}} | certificate",
                "{} | lists no hosts"
            })
    void refusesWhatItDoesNotUnderstand(String hosts, String why) {
        assertThatThrownBy(() -> read(hosts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    private HostAccessByOrigin read(String hosts) throws IOException {
        String json =
                ("{\"hosts\": " + hosts + "}")
                        .replace('\'', '"')
                        .replace("SECRET", secret.toString());
        Path list = Files.writeString(directory.resolve("hosts.json"), json);
        mode(list, "rw-------");
        return HostAccessFile.read(list);
    }
}
