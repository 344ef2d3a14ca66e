package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.model.AttemptOutcome;
import drover.model.UpgradeAction;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.recreate.NetworkEndpoints;
import drover.opsagent.engine.IdempotencyCheck;
import drover.opsagent.engine.NodeSnapshot;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.main.Faults;
import drover.opsagent.main.OpsAgentMain;
import drover.opsagent.main.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The agent's runtime for containers, proved on a real engine. */
class DockerRuntimeIT extends ContainerNode {
    private static final Duration SOON = Waits.LIMIT;

    @Test
    @DisplayName(
            "An upgrade brings a like container of the new image, and a restore the old one back")
    void upgradesAndRollsBack() throws IOException {
        Container before = inspected();
        String data = engine.docker("exec", "app", "sh", "-c", "echo kept > /data/file");
        assertThat(data).isEmpty();
        node.processor.process(upgrade(1, young));
        assertThat(node.journal(1).ending().detail()).isEmpty();
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        Container after = inspected();
        assertThat(after.imageName()).isEqualTo(young);
        assertThat(after.restartPolicy()).isEqualTo(before.restartPolicy());
        assertThat(NetworkEndpoints.toInspectJson(after))
                .isEqualTo(NetworkEndpoints.toInspectJson(before));
        assertThat(EngineJson.toStrings(after.config().path("Env")))
                .contains("OWN=1", "LEVEL=new", "VERSION=2");
        assertThat(after.label("v")).isEqualTo("2");
        assertThat(engine.docker("exec", "app", "cat", "/data/file")).isEqualTo("kept\n");
        assertThat(engine.docker("exec", "app", "cat", "/etc/app/app.toml")).isEqualTo(NEW_CONFIG);
        assertThat(running()).containsExactly("app");

        node.processor.process(RealEngineNode.restore(2, 1, old, OLD_CONFIG));
        assertThat(node.outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertIsOld(before);
        assertThat(engine.docker("exec", "app", "cat", "/data/file")).isEqualTo("kept\n");
    }

    @Test
    @DisplayName("D19: each action done twice and each step back taken twice leave it as it was")
    @Faults(
            rule = "D19 (each action and each undo may be repeated)",
            sample = "ProcessRuntimeIT.eachActionMayBeRepeatedAndTakenBack")
    void eachActionMayBeRepeatedAndTakenBack() {
        new IdempotencyCheck(
                        new IdempotencyCheck.Node(
                                node.runtime,
                                node.state,
                                node.ticker,
                                attempt -> upgrade(attempt, young),
                                this::picture))
                .whole();
    }

    /** Files and containers, and that no volume is left over or lost. */
    private NodeSnapshot picture() {
        try {
            return NodeSnapshot.blank()
                    .andFiles(new LocalDisk(), home, node.state.path())
                    .and(ContainerSnapshot.of(node.engine))
                    .and(Map.of("volumes", engine.docker("volume", "ls", "-q")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName(
            "A14: an upgrade of the configuration alone keeps the container and starts it anew")
    @Faults(
            rule = "D3 (no program runs with only a part of its upgrade)",
            sample = "DockerCrashEnumerationTest.aConfigurationUpgradeEndsWholeWhereverItIsStopped")
    void upgradesTheConfigurationAlone() throws IOException {
        Container before = inspected();
        node.processor.process(RealEngineNode.upgrade(1, old, old, NEW_CONFIG, Map.of()));
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(inspected().id()).isEqualTo(before.id());
        assertThat(inspected().startedAt()).isNotEqualTo(before.startedAt());
        assertThat(inspected().restartPolicy().name()).isEqualTo("always");
        assertThat(engine.docker("exec", "app", "cat", "/etc/app/app.toml")).isEqualTo(NEW_CONFIG);
    }

    @Test
    @DisplayName(
            "D6 D7: a program that falls at its start is put back, and what it said is reported")
    @Faults(
            rule = "D7 (compensation covers actions that started)",
            sample = "DockerCrashEnumerationTest.aFallingProgramEndsAllOldWhereverItIsStopped")
    void goesBackFromAFailedStart() throws IOException {
        Container before = inspected();
        node.processor.process(upgrade(1, falling));
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.FAILED);
        assertThat(node.journal(1).ending().reason()).isEqualTo(ReasonCode.START_FAILED);
        assertThat(node.journal(1).ending().logTail()).contains("I fall");
        assertThat(node.journal(1).ending().detail())
                .contains(" with exit code ", " (last line: \"I fall\"): ");
        assertIsOld(before);
    }

    @Test
    @DisplayName(
            "A program that falls again and again is seen, and the restore brings the old back")
    @Faults(
            rule = "F4 (a crash loop fails the node)",
            sample = "ProgramHealthRulesTest.aCrashLoopIsUnhealthyAtOnce")
    void goesBackFromACrashLoop() throws IOException {
        Container before = inspected();
        node.processor.process(upgrade(1, looping));
        assertThat(node.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        await().atMost(Waits.LIMIT)
                .pollInterval(Duration.ofMillis(200))
                .until(
                        () -> {
                            node.supervise();
                            return node.runtime.isCrashLooping(RealEngineNode.APP);
                        });
        node.processor.process(RealEngineNode.restore(2, 1, old, OLD_CONFIG));
        assertThat(node.outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertIsOld(before);
    }

    @Test
    @DisplayName("D12: killed in each of the eight actions, the next agent ends the attempt whole")
    @Faults(
            rule = "C1 (each action takes effect at most once)",
            sample = "DockerCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void survivesAKillInEachAction() throws Exception {
        Container before = inspected();
        long attempt = 0;
        for (UpgradeAction action : UpgradeAction.values()) {
            attempt++;
            if (action == UpgradeAction.ACQUIRE_ARTIFACT) {
                forgetImage(young);
            }
            killIn(action, attempt);
            assertThat(running()).as("killed in %s", action).hasSizeLessThan(2);
            RealEngineNode next = RealEngineNode.of(engine, home).boot();
            next.supervise();
            assertThat(next.outcome(attempt))
                    .as("%s ends %s", action, next.journal(attempt).ending())
                    .isEqualTo(AttemptOutcome.SUCCEEDED);
            assertThat(inspected().imageName()).isEqualTo(young);
            assertThat(inspected().restartPolicy().name()).isEqualTo("always");
            assertThat(next.config()).isEqualTo(NEW_CONFIG);
            assertThat(running()).containsExactly("app");
            attempt++;
            next.processor.process(RealEngineNode.restore(attempt, attempt - 1, old, OLD_CONFIG));
            assertThat(next.outcome(attempt)).isEqualTo(AttemptOutcome.RESTORED);
            assertIsOld(before);
        }
    }

    @Test
    @DisplayName("D12: a reboot in mid-upgrade starts neither the old nor the new, and ends whole")
    @Faults(
            rule = "D12 (after a reboot a node starts as all old or all new)",
            sample = "DockerCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void aRebootInTheMiddleStartsNothingHalfChanged() throws Exception {
        Container before = inspected();
        losesPowerIn(UpgradeAction.INSTALL_ARTIFACT);
        engine.restart();
        await().atMost(SOON).until(() -> running().equals(List.of("app")));
        assertThat(inspected().imageName()).as("the one that is meant").isEqualTo(young);
        RealEngineNode next = RealEngineNode.of(engine, home).boot();
        next.processor.process(RealEngineNode.restore(2, 1, old, OLD_CONFIG));
        assertThat(next.outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertIsOld(before);
    }

    @ParameterizedTest
    @EnumSource(UpgradeAction.class)
    @DisplayName("D12: the same in each action")
    @Faults(
            rule = "D12 (after a reboot a node starts as all old or all new)",
            sample = "DockerCrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
    void aRebootInEachActionEndsWhole(UpgradeAction action) throws Exception {
        losesPowerIn(action);
    }

    /** The engine comes up again, the agent after it, and there is no network to get an image. */
    private void losesPowerIn(UpgradeAction action) throws Exception {
        Container before = inspected();
        forgetImage(young);
        killIn(action, 1);
        engine.cutOff();
        engine.restart();
        List<String> untouched = action.mutates() ? List.of() : List.of("app");
        await().atMost(SOON).until(() -> running().equals(untouched));
        RealEngineNode next = RealEngineNode.of(engine, home).boot();
        assertThat(running()).containsExactly("app");
        engine.reconnect();
        if (action == UpgradeAction.BACKUP_STATE) {
            assertThat(next.outcome(1)).isEqualTo(AttemptOutcome.FAILED); // it never got the image
            assertIsOld(before);
        } else {
            assertThat(next.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
            assertThat(inspected().imageName()).isEqualTo(young);
            assertThat(inspected().restartPolicy().name()).isEqualTo("always");
            assertThat(next.config()).isEqualTo(NEW_CONFIG);
        }
    }

    @Test
    @DisplayName("An engine that goes away under a running attempt is waited for, and asked again")
    @Faults(
            rule = "S0-61 (the old container is renamed and a new one is made)",
            sample = "DockerRuntimeTest.retriesAnUnavailableEngine")
    void waitsForAnEngineThatDisconnectsUnderIt() throws Exception {
        Container before = inspected();
        CompletableFuture<Void> back = new CompletableFuture<>();
        AtomicBoolean first = new AtomicBoolean(true);
        RealEngineNode next =
                new RealEngineNode(
                                home,
                                engine.socket(),
                                it ->
                                        PausedAgentMain.before(
                                                it,
                                                "rename",
                                                () -> {
                                                    if (first.getAndSet(false)) {
                                                        disconnect(back);
                                                    }
                                                }),
                                _ -> {})
                        .boot();
        next.processor.process(upgrade(1, young));
        back.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(next.journal(1).ending().detail()).isEmpty();
        assertThat(next.outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(running()).containsExactly("app");
        next.processor.process(RealEngineNode.restore(2, 1, old, OLD_CONFIG));
        assertIsOld(before);
    }

    /** Comes back when the engine has gone; it is started again meanwhile. */
    private static void disconnect(CompletableFuture<Void> back) {
        Thread.startVirtualThread(
                () -> {
                    try {
                        engine.restart();
                        back.complete(null);
                    } catch (IOException | RuntimeException e) {
                        back.completeExceptionally(e);
                    }
                });
        await().atMost(Waits.LIMIT)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !engine.answers());
    }

    @Test
    @DisplayName("The agent's own program takes a container over by its flags alone")
    @Faults(
            rule = "S0-23 (the agent chooses its adapter by the configured runtime)",
            sample = "RuntimeRegistryTest.opensTheRuntimesThatComeWithTheAgent")
    void isTheAgentsRuntimeByItsFlags() throws Exception {
        Path record = home.resolve("state/run/app/container.json");
        Files.delete(record);
        Path token = Files.writeString(home.resolve("token"), "secret");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        List<String> command = new ArrayList<>(java());
        command.addAll(List.of(OpsAgentMain.class.getName(), "--gateway", "127.0.0.1:1"));
        command.addAll(List.of("--state", home.resolve("state").toString()));
        command.addAll(List.of("--root", home.toString(), "--token-file", token.toString()));
        command.addAll(List.of("--runtime", "docker", "--set", "socket=" + engine.socket()));
        command.addAll(List.of("--set", "containers=app"));
        Path log = home.resolve("agent.log");
        Process agent =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        try {
            await().atMost(Waits.LIMIT).until(() -> Files.exists(record));
            assertThat(Files.readString(record)).contains(inspected().id(), "\"wanted\":true");
        } finally {
            agent.destroyForcibly().waitFor();
        }
        assertThat(running()).containsExactly("app");
    }

    @Test
    @DisplayName("A container that ends only on SIGINT, and not at once, ends by its settings")
    void stopsByTheSettings() throws IOException {
        String script =
                "trap 'sleep 2; exit 3' INT; trap '' TERM; echo up; while :; do sleep 0.1; done";
        engine.docker("rm", "-f", "-v", "app");
        engine.docker("run", "-d", "--name", "app", old, "/bin/sh", "-c", script);
        await().atMost(SOON).until(() -> engine.docker("logs", "app").equals("up\n"));

        node.runtime.stop(
                RealEngineNode.APP,
                new StopSettings(Optional.of(StopSignal.INT), Optional.of(Duration.ofMinutes(10))),
                node.ticker.deadlineIn(Duration.ofMinutes(11)));

        assertThat(inspected().exitCode()).hasValue(3);
    }

    @Test
    @DisplayName("A pull of what the registry does not have never stops the program")
    @Faults(
            rule = "D20 (a program is not stopped before acquire and verify)",
            sample = "DockerRuntimeTest.neverStopsTheProgramForABadImage")
    void neverStopsTheProgramForAnAbsentImage() throws IOException {
        Container before = inspected();
        String absent = young.replace("/app@", "/none@");
        node.processor.process(upgrade(1, absent));
        assertThat(node.journal(1).ending().reason()).isEqualTo(ReasonCode.ARTIFACT_NOT_FOUND);
        assertThat(inspected().startedAt()).isEqualTo(before.startedAt());
    }
}
