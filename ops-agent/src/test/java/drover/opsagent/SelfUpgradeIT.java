package drover.opsagent;

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
import drover.opsagent.own.Itself;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Seed 001 with two agents that are processes of their own, and a program that they care for: it
 * never restarts, whatever becomes of them.
 */
class SelfUpgradeIT extends SleepingNode {
    private static final Duration LONG = Duration.ofMinutes(3); // of Java starts on a busy machine

    private final List<Process> started = new ArrayList<>();
    private HandOverGateway control;
    private Path versions;
    private Path two;
    private long program;
    private Process one;

    @BeforeEach
    void anAgentOfVersionOne() throws Exception {
        agent.close();
        program = theProgram();
        control = new HandOverGateway();
        versions = directory.resolve("versions");
        Files.writeString(directory.resolve("token"), "secret\n");
        AgentJars.well(versions.resolve("v1.0.0/drover-agent.jar"), "1.0.0+first");
        Files.createSymbolicLink(versions.resolve("current"), Path.of("v1.0.0"));
        two = AgentJars.well(directory.resolve("agent-2.jar"), "2.0.0+second");
        one = start("v1.0.0");
        await().atMost(LONG).until(() -> control.agent().getVersion().equals("1.0.0+first"));
    }

    @AfterEach
    void endAll() {
        control.lets = false;
        agents().forEach(ProcessHandle::destroyForcibly);
        await().atMost(LONG).until(() -> agents().isEmpty());
        control.close();
    }

    @Test
    @DisplayName("Up and back again: each successor takes over, and versions stay side by side")
    void handsOverAndBack() throws Exception {
        String first = digest(versions.resolve("v1.0.0/drover-agent.jar")).value();
        assertThat(control.agent().getConfigDigest()).isEqualTo(Itself.CONFIG.value());
        replace(1, two, "2.0.0+second");
        AttemptStatus up = over(1);
        assertThat(up.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(up.getSourceDigest()).isEqualTo(first);
        assertThat(up.getRunningDigest()).isEqualTo(digest(two).value());
        assertThat(up.getRunId()).isEqualTo(control.agent().getRunId());
        assertThat(control.statuses).anyMatch(AttemptStatus::getHandoverReady);
        assertThat(control.heartbeats).anyMatch(it -> it.getDraining());
        assertThat(one.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(one.exitValue()).isZero();
        assertThat(control.agent().getVersion()).isEqualTo("2.0.0+second");
        assertThat(control.hellos).anyMatch(Hello::getProbe);

        goBack(2, 1, first);
        assertThat(over(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        assertThat(control.agent().getVersion()).isEqualTo("1.0.0+first");
        assertThat(Files.readSymbolicLink(versions.resolve("current"))).hasToString("v1.0.0");
        assertThat(versions.resolve("v2.0.0/drover-agent.jar")).exists();
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("Staging fails, then the self-test: the old agent goes on; the next try succeeds")
    void staysWhenTheNewVersionIsNotWell() throws Exception {
        control.send(work(1, two.resolveSibling("nothing-here.jar"), two, "2.0.0"));
        assertThat(over(1).getReason()).isEqualTo("ARTIFACT_NOT_FOUND");
        replace(2, AgentJars.failing(directory.resolve("broken.jar"), "2.0.1"), "2.0.1");
        assertThat(over(2).getReason()).isEqualTo("SELF_TEST_FAILED");
        assertThat(over(2).getDetail()).contains("this build is broken");
        assertThat(Files.readSymbolicLink(versions.resolve("current"))).hasToString("v1.0.0");
        assertThat(one.isAlive()).isTrue();
        control.send(work(3, two, two, "2.0.0"));
        assertThat(over(3).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("The new agent never speaks, or falls at once: link back, it goes, the old stays")
    void turnsBackWithoutASignOfLife() throws Exception {
        startImpatient();
        replace(1, AgentJars.silent(directory.resolve("silent.jar"), "2.0.0"), "2.0.0");
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_FAILED);
        assertThat(over(1).getReason()).isEqualTo("SUCCESSOR_UNSEEN");
        replace(2, AgentJars.crashing(directory.resolve("crashing.jar"), "3.0.0"), "3.0.0");
        assertThat(over(2).getReason()).isEqualTo("SUCCESSOR_UNSEEN");
        assertThat(one.isAlive()).isTrue();
        assertThat(Files.readSymbolicLink(versions.resolve("current"))).hasToString("v1.0.0");
        assertThat(control.stops).isEmpty();
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("Silence of the control plane: both stay; it speaks again and the old one goes")
    void bothStayInSilence() throws Exception {
        startImpatient();
        control.acknowledges = false;
        control.lets = false;
        replace(1, two, "2.0.0+second");
        await().atMost(LONG).until(() -> standbys() > 0);
        await().during(Duration.ofSeconds(12)) // twice what it would wait for a sign of life
                .atMost(LONG)
                .until(() -> one.isAlive() && agents().size() == 2);
        control.lets = true;
        control.acknowledges = true;
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("C8: the old agent is killed in the hand-over: the new one has the node at once")
    void theSuccessorInheritsFromAKilledAgent() throws Exception {
        control.lets = false;
        control.acknowledges = false;
        replace(1, two, "2.0.0+second");
        await().atMost(LONG).until(() -> standbys() > 0);
        control.acknowledges = true;
        one.destroyForcibly().waitFor();
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("C8: the old agent is killed in the self-test; started again, it goes on")
    void goesOnAfterAKillInTheSelfTest() throws Exception {
        replace(1, AgentJars.slow(directory.resolve("slow.jar"), "2.0.0"), "2.0.0");
        await().atMost(LONG).until(() -> isUnderWay("verify"));
        one.destroyForcibly().waitFor();
        start("current");
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("C8: the new agent is killed as a standby and after it took over: one stays")
    void theNewAgentIsKilled() throws Exception {
        control.lets = false;
        replace(1, two, "2.0.0+second");
        await().atMost(LONG).until(() -> standbys() == 1);
        successor().destroyForcibly();
        await().atMost(LONG).until(() -> standbys() == 2); // the old one lets it start again
        control.lets = true;
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        successor().destroyForcibly();
        await().atMost(LONG).until(() -> agents().isEmpty());
        start("current"); // as the machine does
        await().atMost(LONG)
                .until(() -> control.hellos.getLast().getExecutor() && agents().size() == 1);
        assertThat(control.hellos.getLast().getAgentVersion()).isEqualTo("2.0.0+second");
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("An agent that says no version is unknown, and can be upgraded")
    void anAgentWithoutVersion() throws Exception {
        one.destroyForcibly().waitFor();
        AgentJars.well(versions.resolve("v0.9.0/drover-agent.jar"), "");
        start("v0.9.0");
        await().atMost(LONG).until(() -> control.agent().getVersion().equals("unknown"));
        replace(1, two, "2.0.0+second");
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        onlyOneAgentAndTheSameProgram();
    }

    @Test
    @DisplayName("While it is replaced, an agent declines other work and keeps nothing of it")
    void declinesWhileItIsReplaced() throws Exception {
        control.lets = false;
        replace(1, two, "2.0.0+second");
        await().atMost(LONG).until(() -> control.status(1).getHandoverReady());
        control.send(upgrade(2, newProgram, "601"));
        await().atMost(LONG)
                .until(
                        () ->
                                control.heartbeats.stream()
                                        .anyMatch(
                                                it ->
                                                        it.getDeclined().getAttempt() == 2
                                                                && it.getDeclined()
                                                                        .getReason()
                                                                        .equals("DRAINING")));
        control.lets = true;
        over(1);
        onlyOneAgentAndTheSameProgram();
        control.send(upgrade(2, newProgram, "601")); // asked again, it is taken
        assertThat(over(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        program = theProgram();
    }

    /** The flag is the agent's: another one is started. */
    private void startImpatient() throws Exception {
        one.destroyForcibly().waitFor();
        int before = executors();
        one = start("v1.0.0", "6");
        await().atMost(LONG).until(() -> executors() > before);
    }

    private void replace(long attempt, Path jar, String version) {
        control.send(work(attempt, jar, jar, version));
    }

    private Command work(long attempt, Path jar, Path digestOf, String version) {
        control.wanted = digest(digestOf).value();
        AgentUpgradeWork work =
                AgentUpgradeWork.newBuilder()
                        .setTargetVersion(version)
                        .setProgram("drover-agent")
                        .setSourceDigest(control.agent().getRunningDigest())
                        .setArtifact(
                                Artifact.newBuilder()
                                        .setUrl(jar.toUri().toString())
                                        .setDigest(control.wanted))
                        .build();
        return command(
                CommandType.COMMAND_TYPE_AGENT_UPGRADE,
                body(attempt).addRequiredFeatures("agent-upgrade/1").setAgentUpgrade(work).build());
    }

    private void goBack(long attempt, long of, String expected) {
        control.wanted = expected;
        RestoreWork work =
                RestoreWork.newBuilder()
                        .setProgram("drover-agent")
                        .setOfAttempt(of)
                        .setExpectedDigest(expected)
                        .setExpectedConfigDigest(Itself.CONFIG.value())
                        .build();
        control.send(
                command(CommandType.COMMAND_TYPE_RESTORE, body(attempt).setRestore(work).build()));
    }

    private AttemptStatus over(long attempt) {
        await().atMost(LONG)
                .until(
                        () ->
                                control.status(attempt).getOutcome().getNumber()
                                        > AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS_VALUE);
        return control.status(attempt);
    }

    private boolean isUnderWay(String action) {
        return control.status(1).getActionsList().stream()
                .anyMatch(it -> it.getName().equals(action) && !it.hasEndedAt());
    }

    private void onlyOneAgentAndTheSameProgram() {
        await().atMost(LONG).until(() -> agents().size() == 1);
        assertThat(theProgram()).isEqualTo(program);
    }

    private long standbys() {
        return control.hellos.stream()
                .filter(hello -> !hello.getExecutor() && !hello.getProbe())
                .count();
    }

    private int executors() {
        return (int) control.hellos.stream().filter(Hello::getExecutor).count();
    }

    private long theProgram() {
        await().atMost(LONG).until(() -> marked().size() == 1);
        return marked().getFirst().pid();
    }

    /** Every agent of this node, but no self-test. */
    private List<ProcessHandle> agents() {
        return ProcessHandle.allProcesses()
                .filter(it -> words(it).contains(state.toString()))
                .filter(it -> !words(it).contains("--self-test"))
                .toList();
    }

    private ProcessHandle successor() {
        return agents().stream()
                .filter(it -> words(it).stream().anyMatch(word -> word.contains("v2.0.0/")))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> words(ProcessHandle process) {
        try {
            Path line = Path.of("/proc", Long.toString(process.pid()), "cmdline");
            return List.of(Files.readString(line).split("\0", -1));
        } catch (IOException e) {
            return List.of(); // it has ended
        }
    }

    private Process start(String version) throws IOException {
        return start(version, "60");
    }

    private Process start(String version, String patience) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
        command.addAll(
                List.of("-jar", versions.resolve(version).resolve("drover-agent.jar").toString()));
        command.addAll(List.of("--gateway", control.address(), "--allow-local"));
        command.addAll(List.of("--state", state.toString(), "--root", root.toString()));
        command.addAll(List.of("--token-file", directory.resolve("token").toString()));
        command.addAll(List.of("--handover-timeout", patience));
        File log = directory.resolve("agent-" + started.size() + ".log").toFile();
        Process process =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
        started.add(process);
        return process;
    }
}
