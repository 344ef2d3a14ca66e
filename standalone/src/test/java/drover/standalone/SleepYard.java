package drover.standalone;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.model.Digest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A configuration whose program is a real executable and costs nothing: a copy of {@code sleep}.
 * Bytes behind its end make another program of it, with a digest of its own, that runs as well.
 */
final class SleepYard {
    static final String CHAIN = "yard";
    static final String TYPE = "bunk";
    static final String PROGRAM = "sleeper";
    static final String CONFIG_PATH = "etc/sleeper.conf";

    private static final Path SLEEP = Path.of("/bin/sleep");
    private static final Path FALSE = Path.of("/bin/false");

    private final Path folder;
    private final StringBuilder nodes = new StringBuilder("nodes:\n");

    private SleepYard(Path folder) {
        this.folder = folder;
    }

    /** Writes the chain profile and its template; nodes and manifests are added. */
    static SleepYard in(Path folder) throws IOException {
        assumeTrue(Files.isExecutable(SLEEP), "Skipped: there is no /bin/sleep to copy");
        assumeTrue(Files.isExecutable(FALSE), "Skipped: there is no /bin/false to copy");
        SleepYard yard = new SleepYard(folder);
        yard.write(
                "chains/yard.yaml",
                """
                runtime: { type: process }
                programs:
                  - name: sleeper
                    path: /opt/sleeper/sleep
                    arguments: ["{path}", "86400"]
                    configs:
                      - { path: /etc/sleeper.conf, template: sleeper.conf.tmpl }
                    probes:
                      - name: alive
                        kind: process
                        interval: 1s
                        sets: { application_health: critical }
                variables: { dream: sheep }
                health: { wait: 1s, crash_loop_restarts: 3 }
                """);
        yard.write("templates/yard/sleeper.conf.tmpl", "dream = {{ .dream }}\n");
        return yard;
    }

    Path folder() {
        return folder;
    }

    /** Adds a node that runs v1; further lines are keys of its entry. */
    SleepYard node(String name, String... more) throws IOException {
        nodes.append("  - name: ").append(name).append("\n    chain: yard\n    type: bunk\n");
        for (String line : more) {
            nodes.append("    ").append(line).append('\n');
        }
        nodes.append("    programs:\n      - { name: sleeper, version: v1, url: \"")
                .append(url("v1"))
                .append("\", checksum: \"")
                .append(digest("v1"))
                .append("\" }\n");
        write("nodes.yaml", nodes.toString());
        return this;
    }

    /** Adds a manifest {@code sleeper-VERSION} whose artifact is at an address of the caller's. */
    SleepYard manifest(String version, String url, Digest checksum, String... more)
            throws IOException {
        String text =
                """
                upgrade_id: sleeper-%1$s
                chain_profile_id: yard
                node_type: bunk
                binary_name: sleeper
                target_version: %1$s
                target_url: "%2$s"
                target_checksum: %3$s
                """
                        .formatted(version, url, checksum);
        write("upgrades/yard/sleeper-" + version + ".yaml", text + String.join("\n", more) + "\n");
        return this;
    }

    /** The program of a version: the same text gives the same bytes. */
    static byte[] program(String version) throws IOException {
        return with(Files.readAllBytes(SLEEP), version);
    }

    /** A program that ends at once, every time. */
    static byte[] fallingOver(String version) throws IOException {
        return with(Files.readAllBytes(FALSE), version);
    }

    private static byte[] with(byte[] program, String version) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(program);
        bytes.write(("\nversion " + version + "\n").getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }

    static Digest digest(String version) throws IOException {
        return Digest.of(program(version));
    }

    /** Puts the program of a version into a file and says where. */
    String url(String version) throws IOException {
        return url(version, program(version));
    }

    String url(String version, byte[] program) throws IOException {
        Path file = folder.resolve("artifacts").resolve("sleeper-" + version);
        Files.createDirectories(folder.resolve("artifacts"));
        Files.write(file, program);
        return "file://" + file;
    }

    void write(String place, String text) throws IOException {
        Path file = folder.resolve(place);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }
}
