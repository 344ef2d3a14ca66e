package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.AgentUpgradeWork;
import drover.agent.v1.Artifact;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.Hello;
import drover.agent.v1.RestoreWork;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.journal.Journal;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A node whose agents are processes of their own, and the gateway that they dial. The program they
 * care for never restarts, whatever becomes of them.
 */
public abstract class HandoverNode extends InstalledNode {
    public static final Duration LONG = Duration.ofMinutes(3); // of Java starts on a busy machine

    public HandoverGateway control;
    public AgentProcesses agents;
    private long program;

    @BeforeEach
    void aGatewayAndNoAgent() throws IOException {
        control = new HandoverGateway();
        agents = new AgentProcesses(directory, state, root, control.address());
        Files.setPosixFilePermissions(
                Files.writeString(directory.resolve("token"), "secret\n"),
                PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void endAgents() {
        control.lets = false;
        agents.endAll();
        control.close();
    }

    /** The first agent of the node, of this version; comes back when its program runs. */
    public Process start(String version, Duration timeout) throws IOException {
        Files.createSymbolicLink(agents.versions().resolve("current"), Path.of(version));
        return started(agents.start(version, timeout));
    }

    /** An agent was started; comes back when its program runs. */
    Process started(Process first) {
        await().atMost(LONG).until(() -> executors() == 1 && marked().size() == 1);
        program = theProgram();
        return first;
    }

    /** How often an agent has dialled as the one that executes. */
    private long executors() {
        return control.hellos.stream().filter(Hello::getExecutor).count();
    }

    public void replace(long attempt, Path jar, String version) {
        control.send(work(attempt, jar, digest(jar).value(), version, 0));
    }

    public Command work(long attempt, Path jar, String wanted, String version, long size) {
        control.wanted = wanted;
        AgentUpgradeWork work =
                AgentUpgradeWork.newBuilder()
                        .setTargetVersion(version)
                        .setProgram("drover-agent")
                        .setSourceDigest(control.agent().getRunningDigest())
                        .setArtifact(
                                Artifact.newBuilder()
                                        .setUrl(jar.toUri().toString())
                                        .setSize(size)
                                        .setDigest(wanted))
                        .build();
        return command(
                CommandType.COMMAND_TYPE_AGENT_UPGRADE,
                body(attempt).addRequiredFeatures("agent-upgrade/1").setAgentUpgrade(work).build());
    }

    public void goBack(long attempt, long of, String expected) {
        control.wanted = expected;
        RestoreWork work =
                RestoreWork.newBuilder()
                        .setProgram("drover-agent")
                        .setAttemptToUndo(of)
                        .setExpectedDigest(expected)
                        .setExpectedConfigDigest(AgentPackaging.CONFIG.value())
                        .build();
        control.send(
                command(CommandType.COMMAND_TYPE_RESTORE, body(attempt).setRestore(work).build()));
    }

    public AttemptStatus over(long attempt) {
        await().atMost(LONG)
                .until(
                        () ->
                                control.status(attempt).getOutcome().getNumber()
                                        > AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS_VALUE);
        return control.status(attempt);
    }

    /** How often a successor has dialled to stand by. */
    public long standbys() {
        return control.hellos.stream()
                .filter(hello -> !hello.getExecutor() && !hello.getProbe())
                .count();
    }

    long theProgram() {
        await().atMost(LONG).until(() -> marked().size() == 1);
        return marked().getFirst().pid();
    }

    /** An attempt has replaced the program: from here on it is this one that never restarts. */
    public void theProgramIsAnother() {
        long other = theProgram();
        assertThat(other).isNotEqualTo(program);
        program = other;
    }

    /** As {@link #isWhole}, and nobody else is left. */
    public void isWholeWithOneAgent(String version) {
        isWhole(version);
        await().atMost(LONG).untilAsserted(() -> assertThat(agents.all()).hasSize(1));
        isWhole(version);
    }

    /**
     * One agent executes, of this version and known to the control plane; the link names it, its
     * last attempt is over, and the program has noticed nothing.
     */
    public void isWhole(String version) {
        await().atMost(LONG).untilAsserted(this::oneExecutesThatTheGatewayKnows);
        assertThat(control.agent().getVersion()).isEqualTo(version);
        assertThat(control.agent().getRunningDigest())
                .as("what the link names is what runs")
                .isEqualTo(digest(agents.jar("current")).value());
        assertThat(latest().hasEnded()).isTrue();
        assertThat(marked()).extracting(ProcessHandle::pid).containsExactly(program);
    }

    private void oneExecutesThatTheGatewayKnows() {
        assertThat(agents.executors()).hasSize(1);
        assertThat(control.agent().getRunId())
                .contains(":" + agents.executors().getFirst().pid() + ":");
    }

    private Journal latest() {
        return Objects.requireNonNull(journals().loadLatest());
    }

    /** What the node's disk tells of an attempt. */
    public Journal journal(long attempt) {
        return Objects.requireNonNull(journals().loadJournal(attempt));
    }

    private JournalStore journals() {
        DurableFiles files = new DurableFiles(new LocalDisk(), new Random(1));
        return new JournalStore(new StateDirectory(state, files));
    }
}
