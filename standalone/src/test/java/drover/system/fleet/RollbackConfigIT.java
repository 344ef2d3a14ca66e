package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.SleepProgramConfig;
import drover.system.fixture.TestDeployment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A13, D5, D11: a rollback restores a program and two configuration files from the node's backup.
 * What happened to manifest, templates and artifacts since has no influence.
 */
@Timeout(600)
class RollbackConfigIT {
    private static final String NODE = "bunk-1";
    private static final String PROGRAM = "opt/sleeper/sleep";
    private static final String PEERS_PATH = "etc/peers.conf";
    private static final List<String> FILES =
            List.of(PROGRAM, SleepProgramConfig.CONFIG_PATH, PEERS_PATH);

    @TempDir Path directory;
    private SleepProgramConfig programs;
    private TestDeployment deployment;

    @BeforeEach
    void start() throws IOException {
        FullBuildAssumption.requireEverything();
        programs = SleepProgramConfig.in(directory.resolve("config"));
        programs.write(
                "chains/yard.yaml",
                """
                runtime: { type: process }
                programs:
                  - name: sleeper
                    path: /opt/sleeper/sleep
                    arguments: ["{path}", "86400"]
                    configs:
                      - { path: /etc/sleeper.conf, template: sleeper.conf.tmpl }
                      - { path: /etc/peers.conf, template: peers.conf.tmpl }
                    probes:
                      - name: alive
                        kind: process
                        interval: 1s
                        sets: { application_health: critical }
                variables: { dream: sheep, peers: none }
                health: { wait: 1s, crash_loop_restarts: 3 }
                """);
        programs.write("templates/yard/peers.conf.tmpl", "peers = {{ .peers }}\n");
        programs.node(NODE);
        manifest("goats", "bunk-2");
        deployment = TestDeployment.of(directory.resolve("mesh"), programs.folder());
    }

    @AfterEach
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    private void manifest(String dream, String peers) throws IOException {
        programs.manifest(
                "v2",
                programs.url("v2"),
                SleepProgramConfig.digest("v2"),
                "config_changes:",
                "  - path: /etc/sleeper.conf",
                "    template: sleeper.conf.tmpl",
                "    overrides: { dream: " + dream + " }",
                "  - path: /etc/peers.conf",
                "    template: peers.conf.tmpl",
                "    overrides: { peers: " + peers + " }");
    }

    private Path file(String path) {
        return deployment.root(NODE).resolve(path);
    }

    private void permit(String path, String permissions) throws IOException {
        Files.setPosixFilePermissions(file(path), PosixFilePermissions.fromString(permissions));
    }

    /** Bytes, owner, group and permissions of each file. */
    private Map<String, String> everything() throws IOException {
        Map<String, String> everything = new TreeMap<>();
        for (String path : FILES) {
            PosixFileAttributes attributes =
                    Files.readAttributes(file(path), PosixFileAttributes.class);
            everything.put(
                    path,
                    String.join(
                            " ",
                            attributes.owner().getName(),
                            attributes.group().getName(),
                            PosixFilePermissions.toString(attributes.permissions()),
                            Digest.of(Files.readAllBytes(file(path))).value()));
        }
        return everything;
    }

    @Test
    @DisplayName("A13, D5, D11: every byte, owner and mode of three files is as it was before")
    void restoresEveryByteOwnerAndMode() throws IOException {
        permit(SleepProgramConfig.CONFIG_PATH, "rw-r-----");
        permit(PEERS_PATH, "rw-------");
        Map<String, String> before = everything();
        String id = completed();
        assertThat(Files.readString(file(SleepProgramConfig.CONFIG_PATH)))
                .isEqualTo("dream = goats\n");
        assertThat(Files.readString(file(PEERS_PATH))).isEqualTo("peers = bunk-2\n");
        assertThat(everything().get(PROGRAM)).isNotEqualTo(before.get(PROGRAM));

        permit(SleepProgramConfig.CONFIG_PATH, "rw-rw-rw-");
        permit(PEERS_PATH, "rw-rw-rw-");
        manifest("wolves", "nobody");
        programs.write("templates/yard/sleeper.conf.tmpl", "nightmare = {{ .dream }}\n");
        programs.write("templates/yard/peers.conf.tmpl", "strangers = {{ .peers }}\n");
        for (String version : List.of("v1", "v2")) {
            Files.delete(programs.folder().resolve("artifacts").resolve("sleeper-" + version));
        }
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");

        assertThat(everything()).isEqualTo(before);
        assertThat(TestDeployment.executable(deployment.pid(NODE)))
                .isEqualTo(SleepProgramConfig.digest("v1"));
    }

    private String completed() {
        String id =
                deployment.started(
                        """
                        {"upgrade_id": "sleeper-v2", "chain_profile_id": "yard",
                         "node_type": "bunk", "source_version": "v1", "node_ids": ["%s"],
                         "strategy": "rolling", "batch_size": 1, "health_wait_duration": "1s"}
                        """
                                .formatted(NODE));
        deployment.awaitStill(id, "completed");
        return id;
    }
}
