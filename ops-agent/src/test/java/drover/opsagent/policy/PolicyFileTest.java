package drover.opsagent.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which policy is believed. */
class PolicyFileTest {
    private static final String GOOD =
            """
            {"roots": ["/opt/app"], "units": ["app.service"], "hosts": ["artifacts.example"]}
            """;

    @TempDir Path directory;
    private Path file;
    private String owner = "";

    @BeforeEach
    void aFileOfItsOwner() throws IOException {
        file = Files.writeString(directory.resolve("policy.json"), GOOD);
        owner = Files.getOwner(file).getName();
        mode(file, "rw-r--r--");
        mode(directory, "rwxr-xr-x");
    }

    private static void mode(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    @Test
    void readsWhatIsListed() {
        LocalPolicy policy = PolicyFile.read(file, owner);
        assertThat(policy.bounded()).isTrue();
        assertThat(policy.roots()).containsExactly(new NodePath("/opt/app"));
        assertThat(policy.units()).containsExactly("app.service");
        assertThat(policy.containers()).isEmpty();
        assertThat(policy.hosts()).containsExactly("artifacts.example");
    }

    @Test
    void readsLimitsOfProbesAndCommandLines() throws IOException {
        assertThat(PolicyFile.read(file, owner).programs()).isEqualTo(LaunchAndProbePolicy.NONE);
        Files.writeString(
                file,
                """
                {"probes": {"exec": ["/opt/app/bin/check"], "user": "probe",
                            "addresses": ["10.0.0.5", "10.1.0.0/16"]},
                 "interpreters": ["/usr/bin/java"], "drivers": ["/opt/app/bin/driver"],
                 "unsigned_agent": true}
                """);
        assertThat(PolicyFile.read(file, owner).programs())
                .isEqualTo(
                        new LaunchAndProbePolicy(
                                Set.of(new NodePath("/opt/app/bin/check")),
                                "probe",
                                List.of(
                                        AddressRange.parse("10.0.0.5"),
                                        AddressRange.parse("10.1.0.0/16")),
                                Set.of(new NodePath("/usr/bin/java")),
                                Set.of(new NodePath("/opt/app/bin/driver")),
                                true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"probes\": {\"addresses\": [\"vault.example\"]}}",
                "{\"probes\": {\"addresses\": [\"10.0.0.0/33\"]}}",
                "{\"probes\": {\"user\": \"root\"}}",
                "{\"probes\": {\"exec\": [\"check\"]}}",
                "{\"interpreters\": [\"/usr/bin/../bin/sh\"]}",
                "{\"drivers\": [\"driver\"]}"
            })
    void refusesLimitsThatAreNone(String policy) throws IOException {
        Files.writeString(file, policy);
        assertThatThrownBy(() -> PolicyFile.read(file, owner))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsTheRequiredSigners() throws IOException {
        assertThat(PolicyFile.read(file, owner).signatures()).isEqualTo(new SignaturePolicy.None());
        Files.writeString(
                file,
                """
                {"roots": ["/opt/app"],
                 "signatures": {"trust": "/etc/drover/root.json", "chain": "celestia",
                                "node_type": "full"}}
                """);
        assertThat(PolicyFile.read(file, owner).signatures())
                .isEqualTo(
                        new SignaturePolicy.VerifyReleases(
                                Path.of("/etc/drover/root.json"),
                                owner,
                                true,
                                new ChainProfileId("celestia"),
                                new NodeType("full")));
    }

    @Test
    void readsWhetherCommandsMustBeSignedToo() throws IOException {
        String policy =
                """
                {"signatures": {"trust": "/etc/drover/root.json", "chain": "celestia",
                                "node_type": "full", "commands": true%s}}
                """;
        Files.writeString(file, policy.formatted(", \"node_id\": \"node-7\""));
        assertThat(PolicyFile.read(file, owner).signatures())
                .isInstanceOfSatisfying(
                        SignaturePolicy.VerifyReleases.class,
                        demand ->
                                assertThat(demand.signedCommandsFor())
                                        .isEqualTo(new NodeId("node-7")));
        Files.writeString(file, policy.formatted(""));
        assertThatThrownBy(() -> PolicyFile.read(file, owner)).hasMessageContaining("give node_id");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-rw-r--", "rw-r--rw-"})
    @DisplayName("H11: a policy that others may write is none")
    void refusesAFileThatOthersMayWrite(String permissions) throws IOException {
        mode(file, permissions);
        assertThatThrownBy(() -> PolicyFile.read(file, owner))
                .hasMessage(
                        "The policy is not trusted: %s must be a plain file of %s that nobody else may write."
                                .formatted(file, owner));
    }

    @Test
    @DisplayName("H11: nor one in a directory that others may write")
    void refusesADirectoryThatOthersMayWrite() throws IOException {
        mode(directory, "rwxrwxrwx");
        assertThatThrownBy(() -> PolicyFile.read(file, owner))
                .hasMessageContaining(directory + " must be a plain directory of " + owner);
    }

    @Test
    @DisplayName("H11: nor one of another owner")
    void refusesAnotherOwner() {
        assertThatThrownBy(() -> PolicyFile.read(file, "somebody"))
                .hasMessageContaining("must be a plain file of somebody");
    }

    @Test
    @DisplayName("H11: nor a link to one")
    void refusesALink() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThatThrownBy(() -> PolicyFile.read(link, owner))
                .hasMessageContaining(link + " must be a plain file");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "{\"root\": [\"/opt/app\"]}",
                "{\"roots\": \"/opt/app\"}",
                "{\"roots\": [\"/opt/app\"], \"roots\": [\"/\"]}",
                "{\"roots\": [\"opt/app\"]}",
                "{\"roots\": [\"/opt/../etc\"]}",
                "{\"roots\": [\"/\"]}",
                "{\"signatures\": {}}",
                "{\"signatures\": {\"trust\": \"root.json\", \"chain\": \"c\", \"node_type\": \"n\"}}",
                "{\"signatures\": {\"trust\": \"/r\", \"chain\": \"c\"}}",
                "{\"signatures\": {\"trust\": \"/r\", \"chain\": \"c/d\", \"node_type\": \"n\"}}",
                "{\"signatures\": {\"trust\": \"/r\", \"chain\": \"c\", \"node_type\": \"n\", \"x\": 1}}"
            })
    @DisplayName("H10: what is not understood is refused in one sentence")
    void refusesWhatItDoesNotUnderstand(String content) throws IOException {
        Files.writeString(file, content);
        assertThatThrownBy(() -> PolicyFile.read(file, owner))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The policy ")
                .message()
                .doesNotContain("\n");
    }

    @Test
    void refusesAFileThatIsNotThere() {
        assertThatThrownBy(() -> PolicyFile.read(directory.resolve("none"), owner))
                .hasMessageContaining("cannot be looked at");
    }
}
