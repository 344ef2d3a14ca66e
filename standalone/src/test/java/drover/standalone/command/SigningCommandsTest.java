package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.system.fixture.Waits;
import drover.trust.release.Envelope;
import drover.trust.release.Release;
import drover.trust.release.ReleaseLaunchSpec;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys, roots and signed manifests, as people type them. */
class SigningCommandsTest {
    private static final String MANIFEST =
            """
            upgrade_id: v2
            chain_profile_id: celestia
            node_type: full
            binary_name: node
            target_version: v2
            target_url: https://releases.example.org/v2
            target_checksum: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
            target_size: 1000
            """;

    @TempDir Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @BeforeEach
    void twoOfThreePeopleAreTrusted() throws IOException {
        Files.writeString(at("v2.yaml"), MANIFEST);
        for (String person : new String[] {"ann", "ben", "cat", "eve"}) {
            done("trust key --out @" + person);
        }
        done(
                "trust create @root.json --keys @ann.pub,@ben.pub,@cat.pub --threshold 2 --expires"
                        + " 365d --key @ann --key @ben");
    }

    private Path at(String name) {
        return directory.resolve(name);
    }

    /** With {@code @} standing for the directory. */
    private int run(String typed) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return CommandTreeTest.tree(out, err)
                .execute(typed.replace("@", directory + "/").split(" ", -1));
    }

    private String done(String typed) {
        assertThat(run(typed)).as("%s: %s", typed, err).isZero();
        return out.toString().strip();
    }

    private String refused(String typed) {
        assertThat(run(typed)).as("%s: %s", typed, out).isEqualTo(1);
        assertThat(err.toString()).doesNotContain("Exception").doesNotContain("did not expect");
        return err.toString().strip();
    }

    @Test
    void severalPeopleSignOneAfterAnother() {
        done("manifest sign @v2.yaml --key @ann --counter 5 --expires 90d");
        assertThat(refused("manifest verify @v2.yaml --trust @root.json"))
                .isEqualTo(
                        "The release has 1 good signatures of 2: have it signed by more of the"
                                + " trusted keys.");
        done("manifest sign @v2.yaml --key @ben");
        assertThat(done("manifest verify @v2.yaml --trust @root.json"))
                .startsWith(at("v2.yaml") + " is good: release 5, signed by 2 of 3 keys");
    }

    @Test
    @DisplayName("E7: with the profile, command line and probes are signed, too")
    void signsCommandLineAndProbesOfTheProfile() throws IOException {
        Files.writeString(
                at("celestia.yaml"),
                """
                runtime: { type: process }
                programs:
                  - name: node
                    path: /bin/node
                    arguments: ["{path}", "--port={{ .port }}"]
                    probes:
                      - name: port
                        kind: tcp
                        port: "{{ .port }}"
                        sets: { application_health: critical }
                """);
        done(
                "manifest sign @v2.yaml --key @ann --counter 5 --expires 90d --profile @celestia.yaml");
        done("manifest sign @v2.yaml --key @ben");
        done("manifest verify @v2.yaml --trust @root.json");
        ReleaseLaunchSpec signed =
                Objects.requireNonNull(
                        Release.parse(
                                        Envelope.parse(
                                                        Files.readAllBytes(at("v2.dsse.json")),
                                                        Release.MAX_BYTES)
                                                .payload())
                                .launch());
        assertThat(signed.arguments()).containsExactly("{path}", "--port={{ .port }}");
        assertThat(signed.probes()).containsExactly(List.of("tcp", "127.0.0.1", "{{ .port }}"));
    }

    @Test
    @DisplayName("H14: a private key is its owner's alone, is never shown, and is not overwritten")
    void keysAreTheirOwnersAlone() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(at("ann"))))
                .isEqualTo("rw-------");
        assertThat(done("trust key --out @dan")).matches("sha256:[0-9a-f]{64}");
        assertThat(refused("trust key --out @ann")).contains("is there already");
        Files.setPosixFilePermissions(at("ann"), PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(refused("manifest sign @v2.yaml --key @ann --counter 1 --expires 1d"))
                .contains("can be read by others");
        assertThat(refused("manifest sign @v2.yaml --key @ben.pub --counter 1 --expires 1d"))
                .doesNotContain("BEGIN");
    }

    @Test
    @DisplayName("E1 E6 E7: what is wrong is said in one sentence that names the attack")
    void namesTheAttack() throws IOException {
        String verify = "manifest verify @v2.yaml --trust @root.json";
        assertThat(refused(verify)).endsWith("(unsigned).");
        done("manifest sign @v2.yaml --key @eve --counter 5 --expires 90d");
        assertThat(refused(verify)).contains("signed by no key that is trusted");
        done("manifest sign @v2.yaml --key @ann --key @ben --counter 5 --expires 90d --anew");
        done(verify);
        assertThat(refused(verify + " --seen 6")).endsWith("(rollback).");
        Files.writeString(at("v2.yaml"), MANIFEST.replace("1000", "1001"));
        assertThat(refused(verify)).contains("differs in artifacts").endsWith("(mix-and-match).");
        Instant soon = Instant.now().plus(Duration.ofSeconds(8)).truncatedTo(ChronoUnit.SECONDS);
        done("manifest sign @v2.yaml --key @ann --key @ben --counter 5 --anew --expires " + soon);
        org.awaitility.Awaitility.await()
                .atMost(Waits.LIMIT)
                .until(() -> !Instant.now().isBefore(soon));
        assertThat(refused(verify)).endsWith("(freeze).");
        Files.writeString(at("v2.dsse.json"), "{}");
        assertThat(refused(verify)).contains("lacks payloadType");
    }

    @Test
    void signsNothingElseBesideWhatOthersSigned() throws IOException {
        done("manifest sign @v2.yaml --key @ann --counter 5 --expires 90d");
        Files.writeString(at("v2.yaml"), MANIFEST.replace("version: v2", "version: v3"));
        assertThat(refused("manifest sign @v2.yaml --key @ben")).contains("signs something else");
        Files.writeString(at("v2.yaml"), MANIFEST);
        assertThat(refused("manifest sign @v2.yaml --key @ben --counter 6"))
                .contains("signs something else");
    }

    @Test
    @DisplayName("E4: a manifest without sizes is not signed")
    void requestsTheLimitsOfADownload() throws IOException {
        Files.writeString(at("v2.yaml"), MANIFEST.replace("target_size: 1000\n", ""));
        assertThat(refused("manifest sign @v2.yaml --key @ann --counter 5 --expires 90d"))
                .contains("add target_size");
        assertThat(refused("manifest sign @v2.yaml --key @ann --counter 5 --expires 0d"))
                .contains("is over");
        Files.writeString(at("v2.yaml"), MANIFEST);
        assertThat(refused("manifest sign @v2.yaml --key @ann"))
                .isEqualTo("Nobody signed the manifest yet: give --counter and --expires.");
        assertThat(refused("manifest sign @v2.yaml --counter 5 --expires 9d"))
                .startsWith("Nobody signs");
    }

    @Test
    @DisplayName("A rotation needs old and new keys; afterwards the keys that left sign nothing")
    void rotates() {
        done("manifest sign @v2.yaml --key @ann --key @ben --counter 5 --expires 90d");
        assertThat(
                        done(
                                "trust rotate @root.json --keys @cat.pub,@eve.pub --threshold 2"
                                        + " --expires 365d --key @cat --key @eve"))
                .contains("Nodes do not believe it yet: Root 2 for the keys before it has 1 good");
        assertThat(refused("manifest verify @v2.yaml --trust @root.json"))
                .contains("for the keys before it");
        assertThat(done("trust sign @root.json --key @ben")).endsWith("Nodes believe it.");
        assertThat(done("trust show @root.json"))
                .startsWith("root 2, 2 of 2 keys, until ")
                .endsWith("Nodes believe it.");
        assertThat(refused("manifest verify @v2.yaml --trust @root.json"))
                .contains("signed by no key that is trusted");
        done("manifest sign @v2.yaml --key @cat --key @eve");
        done("manifest verify @v2.yaml --trust @root.json");
    }

    @Test
    void refusesARootWithAnUnreachableThreshold() {
        assertThat(
                        refused(
                                "trust create @other.json --keys @ann.pub --threshold 2 --expires"
                                        + " 1d --key @ann"))
                .contains("A threshold of 2 among 1 keys cannot be");
        assertThat(
                        refused(
                                "trust create @root.json --keys @ann.pub --threshold 1 --expires"
                                        + " 1d --key @ann"))
                .contains("is there already");
        assertThat(refused("trust")).startsWith("Say what to do");
    }

    @Test
    @DisplayName("Coordinators have keys of their own, and a rotation keeps those it does not name")
    void trustsTheCoordinatorsKeys() {
        String online = done("trust key --out @online");
        String next = done("trust key --out @next");
        String people = " --keys @ann.pub,@ben.pub,@cat.pub --threshold 2 --expires 365d";
        String signed = " --key @ann --key @ben";
        assertThat(done("trust show @root.json")).doesNotContain("commands");
        done("trust rotate @root.json" + people + " --command-keys @online.pub" + signed);
        assertThat(done("trust show @root.json"))
                .contains("root 2, 2 of 3 keys", "commands, 1 of:", online);
        done("trust rotate @root.json" + people + signed);
        assertThat(done("trust show @root.json")).contains("root 3, 2 of 3 keys", online);
        done("trust rotate @root.json" + people + " --command-keys @next.pub" + signed);
        assertThat(done("trust show @root.json")).contains(next).doesNotContain(online);
        assertThat(
                        refused(
                                "trust rotate @root.json"
                                        + people
                                        + " --command-keys @ann.pub"
                                        + signed))
                .contains("give the coordinators keys of their own");
    }
}
