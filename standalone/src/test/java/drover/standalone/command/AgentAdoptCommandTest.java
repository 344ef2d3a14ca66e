package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.model.Digest;
import drover.opsagent.main.OpsAgentMain;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What runs is taken in from the terminal, by its chain profile. */
class AgentAdoptCommandTest {
    private static final String PROFILE =
            """
            runtime: { type: process }
            programs:
              - name: nap
                path: /opt/nap
                arguments: ["{path}", "{{ .seconds }}"]
                configs:
                  - { path: /etc/nap.conf, template: nap.conf.tmpl }
            variables: { seconds: 600 }
            """;

    @TempDir Path folder;
    private Path root;
    private Path state;
    private Process nap;

    /** What was typed, and what came of it. */
    private record Typed(int exitCode, String out, String err) {}

    @BeforeEach
    void aProgramThatRuns() throws IOException {
        Path setsid = Path.of("/usr/bin/setsid");
        assumeTrue(Files.isExecutable(setsid), "Skipped: there is no setsid");
        folder = folder.toRealPath();
        root = folder.resolve("root");
        state = folder.resolve("state");
        put("root/etc/nap.conf", "deep = 1\n");
        put("config/chains/beds.yaml", PROFILE);
        put("config/templates/beds/nap.conf.tmpl", "deep = 2\n");
        Files.createDirectories(root.resolve("opt"));
        Path program = Files.copy(Path.of("/bin/sleep"), root.resolve("opt/nap"));
        nap = new ProcessBuilder(setsid.toString(), program.toString(), "500").start();
        Path exe = Path.of("/proc", Long.toString(nap.pid()), "exe");
        await().atMost(Waits.LIMIT).until(() -> Files.isSameFile(program, exe));
    }

    @AfterEach
    void end() {
        if (nap != null) {
            nap.destroyForcibly();
        }
    }

    private void put(String place, String text) throws IOException {
        Path file = folder.resolve(place);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    private Typed type(String verb, String... more) {
        List<String> words = new ArrayList<>(List.of("agent", verb, "--node", "bunk-1"));
        words.addAll(List.of("--profile", folder + "/config/chains/beds.yaml", "--program", "nap"));
        words.addAll(List.of(more));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = CommandTreeTest.tree(out, err).execute(words.toArray(String[]::new));
        return new Typed(exitCode, out.toString(), err.toString());
    }

    private Typed adopt(String... more) {
        List<String> words = new ArrayList<>(List.of("--state", state.toString()));
        words.addAll(List.of("--root", root.toString(), "--label", "var.seconds=500"));
        words.addAll(List.of(more));
        return type("adopt", words.toArray(String[]::new));
    }

    private String digest() throws IOException {
        return Digest.of(Files.readAllBytes(root.resolve("opt/nap"))).value();
    }

    @Test
    void recordsWhatRunsAndTouchesNothingElse() throws IOException {
        SortedMap<String, String> before = everyFile(root);
        Typed adopted = adopt("--version", "v1");
        assertThat(adopted.exitCode()).as("%s", adopted).isZero();
        assertThat(adopted.out())
                .contains("Found: process " + nap.pid(), digest(), "rw-r--r--", "version  ");
        assertThat(everyFile(root)).isEqualTo(before);
        assertThat(nap.isAlive()).isTrue();
        assertThat(Files.readString(state.resolve("profile.json"))).contains("\"v1\"", digest());

        SortedMap<String, String> recorded = everyFile(state);
        Typed again = adopt("--version", "v1");
        assertThat(again.exitCode()).as("%s", again).isZero();
        assertThat(again.out()).contains("Recorded before: nap v1. Nothing changes.");
        assertThat(everyFile(state)).isEqualTo(recorded);
    }

    @Test
    void aDryRunWritesNothing() {
        Typed shown = adopt("--version", "v1", "--dry-run");
        assertThat(shown.exitCode()).as("%s", shown).isZero();
        assertThat(shown.out()).contains("Nothing was written");
        assertThat(state).doesNotExist();
    }

    @Test
    void findsTheVersionInTheManifests() throws IOException {
        put(
                "config/upgrades/beds/nap-1.yaml",
                """
                upgrade_id: nap-1
                chain_profile_id: beds
                node_type: bunk
                binary_name: nap
                target_version: v1
                target_url: https://releases.example.org/nap-1
                target_checksum: %s
                """
                        .formatted(digest()));
        Typed adopted = adopt();
        assertThat(adopted.exitCode()).as("%s", adopted).isZero();
        assertThat(Files.readString(state.resolve("profile.json")))
                .contains("https://releases.example.org/nap-1");
    }

    @Test
    void refusesInOneSentenceWithAStableCode() {
        Typed unnamed = adopt();
        assertThat(unnamed.exitCode()).isEqualTo(1);
        assertThat(unnamed.err()).contains("say with --version which it is. (DRIFTED)");
        Typed other = adopt("--version", "v1", "--label", "var.seconds=900");
        assertThat(other.exitCode()).isEqualTo(1);
        assertThat(other.err()).containsOnlyOnce("\n").endsWith("(OTHER_PROGRAM)\n");
        assertThat(state.resolve("profile.json")).doesNotExist();
    }

    @Test
    void reportsAnInvalidProfile() throws IOException {
        Files.delete(folder.resolve("config/templates/beds/nap.conf.tmpl"));
        assertThat(adopt("--version", "v1").err()).contains("nap.conf.tmpl");
    }

    @Test
    void anAgentAloneAdoptsByWhatSpecPrints() throws Exception {
        Typed spec = type("spec", "--label", "var.seconds=500");
        assertThat(spec.exitCode()).as("%s", spec).isZero();
        put("nap.json", spec.out());
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(OpsAgentMain.class.getName(), "adopt", "--version", "v1"));
        command.addAll(List.of("--spec", folder.resolve("nap.json").toString()));
        command.addAll(List.of("--state", state.toString(), "--root", root.toString()));
        Path log = folder.resolve("log");
        Process agent =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        assertThat(agent.waitFor()).as(Files.readString(log)).isZero();
        assertThat(Files.readString(state.resolve("profile.json"))).contains("\"v1\"", digest());
    }

    /** Content, owner, permissions and time of every file. */
    private static SortedMap<String, String> everyFile(Path directory) throws IOException {
        SortedMap<String, String> all = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.toList()) {
                var attributes = Files.readAttributes(file, PosixFileAttributes.class);
                String content =
                        attributes.isRegularFile() ? Digest.of(Files.readAllBytes(file)) + "" : "";
                all.put(
                        file.toString(),
                        content
                                + attributes.owner()
                                + attributes.permissions()
                                + attributes.lastModifiedTime());
            }
        }
        return all;
    }
}
