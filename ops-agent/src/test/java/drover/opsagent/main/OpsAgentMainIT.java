package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.opsagent.trust.TrustedSigners;
import drover.trust.release.TrustChain;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent as a process of its own. No gateway answers: it needs none for its programs. */
class OpsAgentMainIT extends RealProcessNode {
    private final List<Process> started = new ArrayList<>();
    private Path token;

    @BeforeEach
    void stopFixtureAgent() throws IOException {
        agent.close();
        marked().forEach(ProcessHandle::destroyForcibly);
        await().atMost(Waits.LIMIT).until(() -> marked().isEmpty());
        token = Files.writeString(directory.resolve("token"), "secret\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
    }

    @AfterEach
    void endProcesses() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    @DisplayName("SIGTERM ends the agent with 143 and leaves its program; the next one adopts it")
    void leavesTheProgramAtSigterm() throws Exception {
        Process first = agentProcess();
        long pid = program();
        first.destroy();
        assertThat(first.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(first.exitValue()).isEqualTo(143);
        assertThat(program()).isEqualTo(pid);
        agentProcess();
        awaitTakenOver(2);
        assertThat(program()).isEqualTo(pid);
    }

    @Test
    @DisplayName("kill -9 leaves the program; the next agent adopts it and starts no second copy")
    void adoptsTheProgramAfterAKill() throws Exception {
        Process first = agentProcess();
        long pid = program();
        first.destroyForcibly().waitFor();
        assertThat(program()).isEqualTo(pid);
        agentProcess();
        awaitTakenOver(2);
        assertThat(program()).isEqualTo(pid);
        ProcessHandle.of(pid).orElseThrow().destroyForcibly();
        await().atMost(Waits.LIMIT)
                .until(() -> marked().size() == 1 && marked().getFirst().pid() != pid);
    }

    @ParameterizedTest
    @ValueSource(strings = {"adopt", "enroll", "rollback"})
    @DisplayName("T22: --help of each verb prints the usage")
    void printsTheUsageOfItsVerbs(String verb) throws Exception {
        Process help =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                OpsAgentMain.class.getName(),
                                verb,
                                "--help")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(new String(help.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .startsWith("Usage: agent")
                .contains("agent " + verb + " ");
        assertThat(help.waitFor()).isZero();
    }

    @Test
    @DisplayName("An idle agent with one program uses less than a twentieth of a core")
    void isQuietWhenIdle() throws Exception {
        Process agentAlone = agentProcess();
        awaitTakenOver(1); // past its start
        Duration before = agentAlone.info().totalCpuDuration().orElseThrow();
        await().pollDelay(Duration.ofSeconds(10)).atMost(Waits.LIMIT).until(() -> true);
        Duration used = agentAlone.info().totalCpuDuration().orElseThrow().minus(before);
        System.out.println("Idle agent: " + used.toMillis() + " ms of CPU in 10 s");
        assertThat(used).isLessThan(Duration.ofMillis(500));
    }

    @Test
    void reportsWrongFlagsInOneSentence() throws Exception {
        assertThat(refused("--gateway", "127.0.0.1:1")).isEqualTo("Give --state once.");
        assertThat(refused("--gateway", "somewhere"))
                .isEqualTo(
                        "'somewhere' is no address: write host:port, for example 127.0.0.1:9090");
        assertThat(refused("--color", "red")).isEqualTo("'--color' is no flag of the agent.");
        assertThat(refused("--gateway")).isEqualTo("--gateway needs a value.");
    }

    @Test
    @DisplayName("D17: the latest upgrade is taken back offline, but not under a running agent")
    void rollsBackOffline() throws Exception {
        agent = startAgent();
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
        gateway.send(upgrade(1, newProgram, "601"));
        end(1);
        assertThat(rollBack(1)).startsWith("An agent runs on this node");
        agent.close();
        gateway.close();
        assertThat(rollBack(0)).startsWith("Attempt 1 was taken back");
        assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(marked()).hasSize(1);
        assertThat(rollBack(1)).endsWith("Nothing was done.");
    }

    @Test
    @DisplayName("E6: the root of trust is pinned once, and not under a running agent")
    void pinsTheRootOfTrust() throws Exception {
        assumeTrue(
                Files.getOwner(directory).getName().equals("root"),
                "A policy is root's own: run the tests as root to see it pinned");
        TrustedSigners people = new TrustedSigners(directory);
        Path policy =
                Files.writeString(
                        directory.resolve("policy.json"),
                        "{\"signatures\": {\"trust\": \"%s\", \"chain\": \"c\", \"node_type\": \"n\"}}"
                                .formatted(people.file()));
        Files.setPosixFilePermissions(policy, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(pin(policy, 0)).startsWith("This node believes root of trust 1 of ");
        assertThat(Files.readString(state.resolve("trust.json"))).contains("payloadType");
        people.write(TrustChain.of(TrustedSigners.root(1, TrustedSigners.EVE)));
        assertThat(pin(policy, 1)).contains("two roots of version 1");
        agent = startAgent();
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
        assertThat(pin(policy, 1)).startsWith("An agent runs on this node");
    }

    private String pin(Path policy, int code) throws Exception {
        Process process =
                run(
                        "--pin-trust",
                        "--state",
                        state.toString(),
                        "--root",
                        root.toString(),
                        "--policy",
                        policy.toString());
        String message = firstLine(process);
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(code);
        return message;
    }

    private String rollBack(int code) throws Exception {
        Process process = run("rollback", "--state", state.toString(), "--root", root.toString());
        String message = firstLine(process);
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(code);
        return message;
    }

    private String refused(String... flags) throws Exception {
        Process process = run(flags);
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(2);
        return firstLine(process);
    }

    private static String firstLine(Process process) throws IOException {
        return process.inputReader()
                .lines()
                .filter(line -> !line.startsWith("WARNING") && !line.contains(" INFO "))
                .filter(line -> !line.contains(" DEBUG ") && !line.contains(" WARN "))
                .findFirst()
                .orElse("");
    }

    private Process agentProcess() throws IOException {
        Process process =
                run(
                        "--gateway",
                        "127.0.0.1:1",
                        "--state",
                        state.toString(),
                        "--root",
                        root.toString(),
                        "--token-file",
                        token.toString(),
                        "--allow-local");
        await().atMost(Waits.LIMIT).until(() -> marked().size() == 1);
        return process;
    }

    private Process run(String... flags) throws IOException {
        // As every launcher says it: without, the JVM warns first.
        String natives = "--enable-native-access=ALL-UNNAMED";
        List<String> command = AgentProcesses.java(List.of(natives));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(OpsAgentMain.class.getName());
        command.addAll(List.of(flags));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (flags.length > 7) {
            File log = directory.resolve("agent-" + started.size() + ".log").toFile();
            builder.redirectOutput(log);
        }
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private long program() {
        assertThat(marked()).hasSize(1);
        return marked().getFirst().pid();
    }

    /** Until this agent process has written its incarnation and looked around for a while. */
    private void awaitTakenOver(int agents) {
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                Files.readString(state.resolve("agent.json"))
                                        .contains("\"incarnation\":" + (agents + 1)));
        await().during(Duration.ofSeconds(2)).atMost(Waits.LIMIT).until(() -> marked().size() == 1);
    }
}
