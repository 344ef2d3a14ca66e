package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.runtime.ActionFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnrollCommandTest {
    @TempDir Path folder;

    private AgentFlags flags() throws IOException {
        String token = "jt1." + "a".repeat(16) + "." + "b".repeat(43) + "." + "c".repeat(43);
        return AgentFlags.of(
                "--gateway=in-process:nobody",
                "--state=" + folder.resolve("state"),
                "--token-file="
                        + Files.setPosixFilePermissions(
                                Files.writeString(folder.resolve("token"), token),
                                PosixFilePermissions.fromString("rw-------")));
    }

    @Test
    @DisplayName("D-153: no command enrols a machine whose agent runs, which may do so by itself")
    void isRefusedWhileAnAgentRuns() throws IOException {
        AgentFlags flags = flags();
        try (ExecutorLock agent = ExecutorLock.tryAcquire(folder.resolve("state"))) {
            assertThat(agent.isHeld()).isTrue();
            assertThatThrownBy(() -> EnrollCommand.run(flags))
                    .isInstanceOf(ActionFailed.class)
                    .hasMessageContaining("An agent runs on this node: stop it");
        }
        assertThatThrownBy(() -> EnrollCommand.run(flags))
                .as("the gateway is asked, and nobody is there")
                .hasMessageContaining("in-process:nobody did not enrol this node");
    }
}
