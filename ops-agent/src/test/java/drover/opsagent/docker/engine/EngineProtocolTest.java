package drover.opsagent.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.opsagent.docker.ImagePullRules;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is read of an engine, and what is said to registries. */
class EngineProtocolTest {
    @TempDir Path directory;

    @Test
    @DisplayName(
            "H14: logins come from the node's own file, and only from one that is closed to others")
    void readsLoginsFromAClosedFile() throws IOException {
        Path file = directory.resolve("logins.json");
        String auth = Base64.getEncoder().encodeToString("me:p:w".getBytes(StandardCharsets.UTF_8));
        Files.writeString(
                file, "{\"auths\": {\"r.test:5000\": {\"auth\": \"%s\"}}}".formatted(auth));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> RegistryCredentials.of(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("are open to others: chmod 600.");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        RegistryCredentials logins = RegistryCredentials.of(file);
        String header = logins.authHeader("r.test:5000").orElseThrow();
        assertThat(new String(Base64.getUrlDecoder().decode(header), StandardCharsets.UTF_8))
                .contains("\"username\":\"me\"", "\"password\":\"p:w\"");
        assertThat(logins.authHeader("other.test")).isEmpty();
        assertThat(RegistryCredentials.none().authHeader("r.test:5000")).isEmpty();
    }

    @Test
    void refusesLoginsThatCannotBeRead() {
        assertThatThrownBy(() -> RegistryCredentials.of(directory.resolve("none")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("cannot be read.");
    }

    @Test
    @DisplayName("The layers of a pull are told as one percentage")
    void followsAPull() throws IOException {
        List<Integer> received = new ArrayList<>();
        PullProgressReader.readAndGetHttpStatus(
                lines(
                        "{'status':'Pulling from app'}",
                        layer("a", 50, 100),
                        layer("b", 0, 100),
                        layer("a", 100, 100)),
                received::add);
        assertThat(received).containsExactly(50, 25, 50);
    }

    @Test
    @DisplayName("A pull that fails says so in its stream, under a status that is well")
    void reportsAnErrorDuringThePull() {
        assertThatThrownBy(
                        () ->
                                PullProgressReader.readAndGetHttpStatus(
                                        lines(layer("a", 1, 2), "{'error':'no space left'}"),
                                        _ -> {}))
                .isInstanceOf(EngineFailed.class)
                .hasMessage("no space left");
    }

    @ParameterizedTest
    @CsvSource({
        "manifest unknown, ARTIFACT_NOT_FOUND",
        "pull access denied, DOWNLOAD_REFUSED",
        "write: no space left on device, DISK_FULL",
        "connection reset by peer, DOWNLOAD_FAILED"
    })
    void reportsWhyAnImageWasNotPulled(String message, ReasonCode reason) {
        Artifact artifact = new Artifact("r.test/a", Digest.of("a"), 0);
        assertThat(ImagePullRules.pullFailure(artifact, EngineFailed.rejected(message)).reason())
                .isEqualTo(reason);
    }

    @Test
    @DisplayName("Output comes in frames of two streams, without a terminal; the end of it is kept")
    void readsTheEndOfTheOutput() {
        byte[] framed = {
            1, 0, 0, 0, 0, 0, 0, 3, 'o', 'n', 'e', 2, 0, 0, 0, 0, 0, 0, 3, 't', 'w', 'o', 1, 0
        };
        assertThat(ContainerLogTailDecoder.decodeTail(framed, false, 5)).isEqualTo("netwo");
        assertThat(
                        ContainerLogTailDecoder.decodeTail(
                                "plain".getBytes(StandardCharsets.UTF_8), true, 3))
                .isEqualTo("ain");
    }

    private static String layer(String id, int current, int total) {
        return "{'status':'Downloading','id':'%s','progressDetail':{'current':%d,'total':%d}}"
                .formatted(id, current, total);
    }

    private static InputStream lines(String... lines) {
        String all = String.join("\n", lines).replace('\'', '"');
        return new ByteArrayInputStream(all.getBytes(StandardCharsets.UTF_8));
    }
}
