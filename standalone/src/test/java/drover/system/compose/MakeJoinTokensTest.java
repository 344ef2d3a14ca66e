package drover.system.compose;

import static org.assertj.core.api.Assertions.assertThat;

import drover.system.fixture.Waits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code deploy/compose/make-join-tokens} as it is, below a directory of the test's own and with a
 * `drover` that answers from it.
 */
@Timeout(600)
class MakeJoinTokensTest {
    private static final String DROVER =
            """
            #!/bin/bash
            while [ "$1" != node ] && [ "$1" != token ]; do shift; done
            case "$1 $2" in
              "node list") cat "@PLACE@/list" ;;
              "node show") cat "@PLACE@/shown-$3" ;;
              "token create")
                node="${@: -1}"
                echo "$node" >> "@PLACE@/asked"
                [ ! -e "@PLACE@/fails-$node" ] || exit 1
                echo "token of $node" ;;
            esac
            """;

    @TempDir Path place;

    private Path nodes;

    @BeforeEach
    void layOut() throws IOException {
        nodes = Files.createDirectories(place.resolve("drover/fleet/nodes"));
        Files.createDirectories(place.resolve("drover/keys"));
        Files.writeString(place.resolve("drover/keys/admin.key"), "key");
        Path bin = Files.createDirectory(place.resolve("bin"));
        executable(bin.resolve("java"), DROVER.replace("@PLACE@", place.toString()));
        executable(bin.resolve("sleep"), "#!/bin/bash\n");
        executable(
                bin.resolve("sync"),
                "#!/bin/bash\nls -A '%s'/*/ | grep join >> '%s'\n"
                        .formatted(nodes, place.resolve("synced")));
        Files.writeString(place.resolve("list"), "NODE  STATUS  HEALTH\n");
    }

    private static void executable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private Path node(String name) throws IOException {
        Files.createDirectories(nodes.resolve(name).resolve("state"));
        return nodes.resolve(name);
    }

    private Path certified(String name, Duration age) throws IOException {
        Path identity = node(name).resolve("state/identity.json");
        Files.writeString(identity, "identity of " + name);
        Files.setLastModifiedTime(identity, FileTime.from(Instant.now().minus(age)));
        return identity;
    }

    private void listed(String... rows) throws IOException {
        Files.writeString(
                place.resolve("list"), "NODE  STATUS  HEALTH\n" + String.join("\n", rows) + "\n");
    }

    private Path token(String name) {
        return nodes.resolve(name).resolve("join-token");
    }

    private int run() throws IOException, InterruptedException {
        String script =
                Files.readString(Path.of("../deploy/compose/make-join-tokens"))
                        .replace("/var/lib/drover", place.resolve("drover").toString());
        ProcessBuilder bash =
                new ProcessBuilder("bash", "-c", script)
                        .redirectErrorStream(true)
                        .redirectOutput(place.resolve("said").toFile());
        bash.environment().merge("PATH", place.resolve("bin") + ":", (old, own) -> own + old);
        Process process = bash.start();
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    @Test
    @DisplayName(
            "D-154: a token is made for who is offline and has no certificate that may be good")
    void isMadeForWhoNeedsOne() throws Exception {
        node("new");
        certified("young", Duration.ofHours(20));
        certified("old", Duration.ofHours(25));
        node("online");
        node("revoked");
        certified("retired", Duration.ofHours(25));
        Files.writeString(place.resolve("shown-retired"), "node     retired\nstatus   retired\n");
        Files.writeString(place.resolve("shown-new"), "node     new\nstatus   offline\n");
        listed(
                "young    offline  -",
                "old      offline  -",
                "online   online   ok",
                "revoked  revoked  -");

        assertThat(run()).isZero();
        assertThat(token("new")).hasContent("token of new");
        assertThat(token("old")).hasContent("token of old");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token("old"))))
                .isEqualTo("rw-------");
        assertThat(token("young")).doesNotExist();
        assertThat(token("online")).doesNotExist();
        assertThat(token("revoked")).doesNotExist();
        assertThat(token("retired")).doesNotExist();
    }

    @Test
    @DisplayName("D-154: a token is on the disk before it is in its place")
    void isOnTheDiskBeforeItIsInItsPlace() throws Exception {
        node("new");
        assertThat(run()).isZero();
        assertThat(token("new")).hasContent("token of new");
        assertThat(Files.readAllLines(place.resolve("synced")))
                .singleElement()
                .asString()
                .startsWith(".join-token.");
    }

    @Test
    @DisplayName("H1: what a captured node put at the token's place is replaced, not followed")
    void aLinkIsReplacedAndNotFollowed() throws Exception {
        Path other = certified("berth-02", Duration.ofHours(1));
        Path capturedArguments = node("berth-01");
        Files.createSymbolicLink(
                capturedArguments.resolve("join-token"),
                Path.of("../berth-02/state/identity.json"));

        assertThat(run()).isZero();
        assertThat(other).hasContent("identity of berth-02");
        assertThat(Files.isSymbolicLink(token("berth-01"))).isFalse();
        assertThat(token("berth-01")).hasContent("token of berth-01");
    }

    @Test
    void continuesAfterANodeThatGetsNoToken() throws Exception {
        Path a = node("a");
        Files.createDirectories(a.resolve("join-token/full"));
        node("b");
        node("c");
        Files.writeString(place.resolve("fails-b"), "");

        assertThat(run()).isEqualTo(1);
        assertThat(token("c")).hasContent("token of c");
        assertThat(token("b")).doesNotExist();
        assertThat(a.toFile().list()).as("nothing is left").containsOnly("state", "join-token");
        assertThat(Files.readAllLines(place.resolve("asked")))
                .containsExactly("a", "b", "b", "b", "b", "b", "c");
        assertThat(place.resolve("said"))
                .content()
                .contains("a has no join token;", "b has no join token;", "c has a join token.");
    }
}
