package drover.opsagent.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Welcome;
import drover.model.Digest;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.engine.CommandProcessor;
import drover.opsagent.engine.StatusSlot;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.journal.AttemptResult;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.RealProcessNode;
import drover.opsagent.main.RuntimeTestNode;
import drover.opsagent.main.ScriptedGateway;
import drover.opsagent.main.Waits;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.runtime.process.RunRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole agent where one of an earlier version was killed while it started the program of an
 * upgrade from v2 to v4.
 */
class EarlierAgentTest {
    private static final String LAST_LINE = "exec sleep 86400\n";

    private Path state;
    private Path root;
    private Pid stored;

    @BeforeEach
    void copyNode(@TempDir Path directory) throws IOException {
        EarlierState.copy("loft-1", directory.toRealPath());
        state = directory.toRealPath().resolve("state");
        root = directory.toRealPath().resolve("root");
        stored = run().first();
    }

    @AfterEach
    void endProgram() {
        Pid program = run().first();
        if (!program.equals(stored)) { // that one was a process of another machine
            ProcessHandle.of(program.number()).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Test
    @DisplayName("C15: an attempt that an earlier agent left open ends, and can be taken back")
    void endsTheOpenAttempt() throws IOException {
        String address = "gateway-" + UUID.randomUUID();
        try (ScriptedGateway gateway = new ScriptedGateway(address)) {
            gateway.greet(Welcome.newBuilder().setNodeId("loft-1"));
            OpsAgent agent = start(address);
            try {
                AttemptStatus ended = gateway.end(3, Waits.LIMIT);
                assertThat(ended.getOutcome())
                        .as(ended.toString())
                        .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
                assertThat(ended.getRunningDigest()).isEqualTo(program("v4").value());
                await().atMost(Waits.LIMIT).until(() -> gateway.hellos.size() > 0);
                assertThat(gateway.hellos.getFirst().getIncarnation()).isEqualTo(2);
            } finally {
                agent.close();
            }
        }
        assertThat(run().desired()).isTrue();
        assertThat(Files.readString(root.resolve("opt/loft/loft.conf")))
                .isEqualTo("dream = dream-v4\n");

        AttemptResult back = rollBack();

        assertThat(back.reason()).isEqualTo(ReasonCode.ROLLED_BACK_LOCALLY);
        assertThat(back.outcome()).isEqualTo(drover.model.AttemptOutcome.FAILED);

        Path loft = root.resolve("opt/loft/loft");
        assertThat(Files.readString(loft)).isEqualTo("#!/bin/sh\n# loft v2\n" + LAST_LINE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(loft)))
                .isEqualTo("rwxr-xr-x");
        assertThat(Files.readString(root.resolve("opt/loft/loft.conf")))
                .isEqualTo("dream = dream-v2\n");
        assertThat(run().digest()).isEqualTo(program("v2"));
    }

    private OpsAgent start(String address) {
        return OpsAgent.start(
                RealProcessNode.config(state, root, address, "process", Duration.ofMillis(700)),
                parts());
    }

    /** As the command {@code rollback} does while no agent runs. */
    private AttemptResult rollBack() {
        RuntimeTestNode node =
                RuntimeTestNode.open("process", parts(), new StateDirectoryAndRoot(state, root));
        StatusSlot slot = new StatusSlot(node.parts().ticker(), () -> {});
        CommandProcessor processor =
                new CommandProcessor(
                        node.state(), node.runtime(), node.parts().ticker(), slot, true);
        processor.requireLocalRollbackTarget();
        processor.startIncarnation();
        return processor.rollBackLastAttempt().ending();
    }

    private static OpsAgent.Dependencies parts() {
        return OpsAgent.Dependencies.local(DownloadPolicy.forLocalMachine());
    }

    private RunRecord run() {
        StateDirectory directory = EarlierState.open(state);
        return directory.load(directory.runDirectory("loft").resolve("run.json"), RunRecord.class);
    }

    private static Digest program(String version) {
        return Digest.of(
                ("#!/bin/sh\n# loft " + version + "\n" + LAST_LINE)
                        .getBytes(StandardCharsets.UTF_8));
    }
}
