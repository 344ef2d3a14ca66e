package drover.standalone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import drover.localenv.Await;
import drover.localenv.Ports;
import drover.model.Digest;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts the demo's releases as the nodes do: real processes from real jar files. */
class DemoProgramVersionIT {
    @TempDir Path folder;

    @Test
    void reportsItsVersionDigestAndConfiguration() throws Exception {
        byte[] jar = DemoProgramVersion.V2.buildJar();
        int port = Ports.findFree(Set.of());
        Process server = start(jar, port);
        try {
            String answer = request(port);
            assertThat(answer)
                    .contains("\"version\":\"v2\"")
                    .contains("\"digest\":\"" + Digest.of(jar) + "\"")
                    .contains("\"greeting\":\"Ahoy\"");
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void theBadReleaseStartsAndFallsOverByItself() throws Exception {
        int port = Ports.findFree(Set.of());
        Process server = start(DemoProgramVersion.V3.buildJar(), port);
        try {
            assertThat(request(port)).contains("\"version\":\"v3\"");
            assertThat(server.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).isEqualTo(1);
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void equalReleasesAreEqualBytesAndOthersAreNot() {
        assertThat(Digest.of(DemoProgramVersion.V1.buildJar()))
                .isEqualTo(Digest.of(DemoProgramVersion.V1.buildJar()));
        assertThat(Digest.of(DemoProgramVersion.V1.buildJar()))
                .isNotEqualTo(Digest.of(DemoProgramVersion.V2.buildJar()));
    }

    @Test
    void writesRealFilesOnceAndKeepsWhatAnOperatorChanged() throws IOException {
        DemoConfigFiles.writeUnlessWritten(folder);
        Path manifest = folder.resolve("upgrades/harbour/greeter-v2.yaml");
        byte[] jar = Files.readAllBytes(folder.resolve("artifacts/greeter-v2.jar"));
        assertThat(manifest)
                .content()
                .contains("target_checksum: \"" + Digest.of(jar) + "\"")
                .doesNotContain("@");
        Files.writeString(manifest, "mine");
        DemoConfigFiles.writeUnlessWritten(folder);
        assertThat(manifest).hasContent("mine");
    }

    private Process start(byte[] jar, int port) throws IOException {
        Path file = Files.write(folder.resolve("greeter.jar"), jar);
        Path config = folder.resolve("greeter.conf");
        Files.writeString(config, "port = " + port + "\ngreeting = Ahoy\n");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        List.of(java, "-Xmx24m", "-jar", file.toString(), config.toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out.log").toFile())
                .start();
    }

    private static String request(int port) {
        String[] answer = {""};
        assertThat(
                        Await.until(
                                Duration.ofSeconds(20),
                                () -> {
                                    answer[0] = tryRequest(port);
                                    return !answer[0].isEmpty();
                                }))
                .as("the server answers")
                .isTrue();
        return answer[0];
    }

    private static String tryRequest(int port) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            URI uri = URI.create("http://127.0.0.1:" + port + "/version");
            return client.send(
                            HttpRequest.newBuilder(uri).build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
