package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.AttemptOutcome;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineFailed;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.RestartPolicy;
import drover.opsagent.docker.recreate.NetworkEndpoints;
import drover.opsagent.journal.ActionEntry;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

class DockerRuntimeTest {
    private static final Path BACKUP_OF_ONE =
            DockerNode.STATE.resolve(".upgrade-backup/rollout-1/1");

    private final DockerNode node = DockerNode.running(ProgramBehavior.RUNS);
    private final DockerNode.Agent agent = node.agent(1).boot();

    @Test
    @DisplayName("D14: a clear starts a container that is down, and keeps the mark if it ends")
    void startsARepairedContainerWhenTheNodeIsCleared() {
        DockerNode broken = DockerNode.running(ProgramBehavior.FALLS);
        DockerNode.Agent there = broken.agent(1).boot();
        broken.engine.setStartObserver(_ -> damageFiles(broken, BACKUP_OF_ONE));
        there.processor.process(broken.upgrade(1));
        assertThat(there.journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);

        there.processor.process(DockerNode.clear(2));
        assertThat(there.journal(2).ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(there.journal(2).ending().detail())
                .contains("app ended within 1.0 s of its start");

        broken.engine.pushImage(
                DockerNode.NEW, DockerNode.json("{'Cmd': ['/app']}"), ProgramBehavior.RUNS);
        there.processor.process(DockerNode.clear(3));
        assertThat(there.journal(3).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(broken.app().isRunning()).isTrue();
    }

    @Test
    @DisplayName("D3: a clear starts no new image with the configuration of before")
    void refusesToStartAContainerWithTheConfigurationOfAnotherVersion() {
        DockerNode broken = DockerNode.running(ProgramBehavior.FALLS);
        DockerNode.Agent there = broken.agent(1).boot();
        broken.engine.setStartObserver(_ -> damageFiles(broken, BACKUP_OF_ONE));
        there.processor.process(broken.upgrade(1));
        assertThat(there.journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        putEarlierConfig(broken);
        broken.engine.setStartObserver(_ -> broken.violations.add("started"));

        there.processor.process(DockerNode.clear(2));

        assertThat(there.journal(2).ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        assertThat(there.journal(2).ending().detail())
                .contains(
                        "/etc/app/app.toml is of the version before attempt 1, the image of"
                                + " container app of the version that it installed.");
        assertThat(broken.violations).isEmpty();
    }

    @Test
    @DisplayName("D3: the refusal of a mixture names the steps that make it one version")
    void clearsAMixtureThatWasRepairedAsTheRefusalDescribes() {
        DockerNode broken = DockerNode.running(ProgramBehavior.FALLS);
        DockerNode.Agent there = broken.agent(1).boot();
        broken.engine.setStartObserver(_ -> rejectChanges(broken));
        there.processor.process(broken.upgrade(1));
        assertThat(there.journal(1).ending().outcome()).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        broken.engine.setChangeHook(() -> {});
        broken.engine.setStartObserver(_ -> {});
        putEarlierConfig(broken);
        there.processor.process(DockerNode.clear(2));
        assertThat(there.journal(2).ending().reason()).isEqualTo(ReasonCode.PROOF_FAILED);
        assertThat(there.journal(2).ending().detail())
                .endsWith(
                        "Restore the earlier version by hand: copy its files from"
                                + " /state/.upgrade-backup/rollout-1/1 to the node, and if container"
                                + " app is the new one, remove it and rename the retained one"
                                + " (app.drover-ID in docker ps -a) to app, then clear it again.");

        String kept = broken.engine.containerNamesWithPrefix("app.drover-").getFirst();
        broken.engine.remove(broken.app().id());
        broken.engine.rename(broken.engine.findContainer(kept).orElseThrow().id(), "app");
        there.processor.process(DockerNode.clear(3));

        assertThat(there.journal(3).ending().outcome()).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(broken.isOld()).isTrue();
    }

    @Test
    @DisplayName("D3: a clear that cannot restore the earlier container gives the engine's reason")
    void namesTheEnginesReasonIfTheEarlierContainerCannotBeRestored() {
        node.imageAfter = DockerNode.OLD;
        agent.processor.process(node.upgrade(1));
        failRestoreOfARunningContainer();
        putEarlierConfig(node);

        agent.processor.process(DockerNode.clear(3));

        assertThat(agent.journal(3).ending().reason()).isEqualTo(ReasonCode.ENGINE_FAILED);
        assertThat(agent.journal(3).ending().detail())
                .startsWith(
                        "The earlier launch specification of app cannot be restored. You cannot"
                                + " remove a running container:");
        node.engine.stop(node.app().id(), Duration.ZERO);
        agent.processor.process(DockerNode.clear(4));
        assertThat(outcome(4)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.isOld()).isTrue();
    }

    private static void rejectChanges(DockerNode node) {
        node.engine.setChangeHook(
                () -> {
                    throw EngineFailed.rejected("The engine changes nothing");
                });
    }

    /** What an operator copies from the backup. */
    private static void putEarlierConfig(DockerNode node) {
        Path config = Path.of("/srv/app/app.toml");
        FileAttributes attributes = node.disk.attributes(config);
        node.disk.putDurableFile(config, DockerNode.OLD_CONFIG, attributes);
    }

    private static void damageFiles(DockerNode node, Path directory) {
        node.disk
                .list(directory)
                .forEach(
                        file ->
                                node.disk.putDurableFile(
                                        file, new byte[] {'x'}, FileAttributes.PRIVATE));
    }

    @Test
    @DisplayName("S0-61: an upgrade makes a like container of the new image and keeps the old one")
    void upgrades() {
        Container old = node.app();
        agent.processor.process(node.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        Container now = node.app();
        assertThat(node.isNew()).isTrue();
        assertThat(EngineJson.toStrings(now.config().path("Cmd"))).containsExactly("/app", "--new");
        assertThat(EngineJson.toStrings(now.config().path("Env"))).contains("OWN=1", "LEVEL=new");
        assertThat(now.mounts()).isEqualTo(old.mounts());
        assertThat(NetworkEndpoints.toInspectJson(now))
                .isEqualTo(NetworkEndpoints.toInspectJson(old));
        Container kept = node.engine.findContainer(old.id()).orElseThrow();
        assertThat(kept.name()).isEqualTo("app.drover-" + old.shortId());
        assertThat(kept.restartPolicy()).isEqualTo(RestartPolicy.NO);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @DisplayName("D15: a restore whose stop the engine rejects is refused and can be repeated")
    void refusesARestoreOfAContainerThatCannotBeStopped(int changesBefore) {
        agent.processor.process(node.upgrade(1));
        String run = node.app().runId();
        rejectOneChangeAfter(changesBefore);

        agent.processor.process(DockerNode.restore(2, 1));

        assertThat(outcome(2)).isEqualTo(AttemptOutcome.REFUSED);
        assertThat(agent.journal(2).ending().reason()).isEqualTo(ReasonCode.ENGINE_FAILED);
        assertThat(node.isNew()).isTrue();
        assertThat(node.app().runId()).isEqualTo(run);
        assertThat(agent.runtime.status(DockerNode.APP).desired()).isTrue();
        agent.processor.process(DockerNode.restore(3, 1));
        assertThat(outcome(3)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("D20: an upgrade whose stop the engine rejects leaves the container running")
    void leavesAContainerRunningThatCannotBeStopped() {
        String run = node.app().runId();
        failUpgradeWhoseStopIsRejected();
        assertThat(node.app().runId()).isEqualTo(run);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("A stop that the engine carries out later is undone")
    void startsAContainerThatTheEngineStopsLate() {
        failUpgradeWhoseStopIsRejected();
        agent.supervise();
        node.ticker.pause(Duration.ofSeconds(60));
        agent.supervise();
        node.engine.stop(node.app().id(), Duration.ofSeconds(1));
        agent.supervise();
        assertThat(node.app().isRunning()).isTrue();
    }

    @Test
    @DisplayName("A stop by an operator, long after a stop that had no effect, is not undone")
    void leavesAContainerDownThatAnOperatorStopsLater() {
        failUpgradeWhoseStopIsRejected();
        agent.supervise();
        node.ticker.pause(Duration.ofMinutes(3));
        agent.supervise();
        node.engine.stop(node.app().id(), Duration.ofSeconds(1));
        agent.supervise();
        assertThat(node.app().isRunning()).isFalse();
    }

    @Test
    @DisplayName("A pending start that the engine rejects twice is repeated until it succeeds")
    void startsAContainerWhoseStartsTheEngineRejected() {
        failUpgradeWhoseStopIsRejected();
        node.engine.stop(node.app().id(), Duration.ofSeconds(1));
        int[] rejected = {0};
        node.engine.setChangeHook(
                () -> {
                    if (rejected[0]++ < 2) {
                        throw EngineFailed.rejected("Bind for 0.0.0.0:26656 failed");
                    }
                });
        for (int i = 0; i < 3; i++) {
            assertThat(node.app().isRunning()).isFalse();
            agent.supervise();
            node.ticker.pause(Duration.ofMinutes(2));
        }
        assertThat(node.app().isRunning()).isTrue();
    }

    @Test
    @DisplayName("A pending start survives an agent that is killed before the engine has it")
    void startsAContainerAfterAKilledAgent() {
        failUpgradeWhoseStopIsRejected();
        node.engine.stop(node.app().id(), Duration.ofSeconds(1));
        Error killed = new AssertionError("The agent is killed");
        node.engine.setChangeHook(
                () -> {
                    throw killed;
                });
        assertThatThrownBy(agent::supervise).isSameAs(killed);
        node.engine.setChangeHook(() -> {});
        DockerNode.Agent next = node.agent(2).boot();
        node.ticker.pause(Duration.ofMinutes(2));
        next.supervise();
        assertThat(node.app().isRunning()).isTrue();
    }

    private void failUpgradeWhoseStopIsRejected() {
        node.engine.setChangeHook(
                () -> {
                    ActionEntry stop = agent.journal(1).findEntry(UpgradeAction.STOP_NODE);
                    if (stop != null && !stop.hasSucceeded() && stop.endedAt() == null) {
                        throw EngineFailed.rejected("The engine does not stop it");
                    }
                });
        agent.processor.process(node.upgrade(1));
        node.engine.setChangeHook(() -> {});
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.FAILED);
    }

    private void rejectOneChangeAfter(int accepted) {
        int[] changes = {0};
        node.engine.setChangeHook(
                () -> {
                    if (changes[0]++ == accepted) {
                        throw EngineFailed.rejected("The engine does not stop it");
                    }
                });
    }

    @Test
    @DisplayName("A container that runs after a failed stop is supervised again after a clear")
    void supervisesAContainerWhoseStopFailed() {
        agent.processor.process(node.upgrade(1));
        failRestoreOfARunningContainer();

        agent.processor.process(DockerNode.clear(3));

        assertThat(outcome(3)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.app().restartPolicy().startsContainer()).isTrue();
        node.engine.crashContainer("app");
        assertThat(node.isNew()).isTrue();
    }

    /** The engine rejects the stop and does not respond then: the run is not known. */
    private void failRestoreOfARunningContainer() {
        int[] changes = {0};
        node.engine.setChangeHook(
                () -> {
                    if (changes[0]++ == 1) {
                        node.engine.setUnavailable(true);
                        throw EngineFailed.rejected("The engine does not stop it");
                    }
                });
        agent.processor.process(DockerNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.FAILED_ROLLBACK);
        node.engine.setUnavailable(false);
    }

    @Test
    @DisplayName("A kept container goes when no backup needs it any more, and not before")
    void removesKeptContainersWithTheirBackups() {
        agent.processor.process(node.upgrade(1));
        String kept = node.engine.containerNamesWithPrefix("app.drover-").getFirst();
        agent.runtime.deleteTempFilesNextTo(List.of());
        assertThat(node.engine.containerNamesWithPrefix("app.drover-")).containsExactly(kept);
        node.disk.delete(Path.of("/state/.upgrade-backup/rollout-1/1/container.json"));
        agent.runtime.deleteTempFilesNextTo(List.of());
        assertThat(node.engine.containerNamesWithPrefix("app.drover-")).isEmpty();
    }

    @Test
    @DisplayName("An upgrade to the same image and launch stops and starts the container, no more")
    void keepsTheContainerWhereOnlyFilesChange() {
        node.imageAfter = DockerNode.OLD;
        node.launchAfter = DockerNode.launch(Map.of());
        String id = node.app().id();
        agent.processor.process(node.upgrade(1));
        assertThat(outcome(1)).isEqualTo(AttemptOutcome.SUCCEEDED);
        assertThat(node.app().id()).isEqualTo(id);
        assertThat(node.isNew()).isTrue();
        agent.processor.process(DockerNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("A13: a restore makes a container anew that somebody pruned")
    void restoresAContainerThatWasPruned() {
        String id = node.app().id();
        agent.processor.process(node.upgrade(1));
        node.engine.remove(id);
        agent.processor.process(DockerNode.restore(2, 1));
        assertThat(outcome(2)).isEqualTo(AttemptOutcome.RESTORED);
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("D10: a backup of another image restores nothing")
    void restoresOnlyFromABackupThatAgrees() {
        agent.processor.process(node.upgrade(1));
        Path saved = Path.of("/state/.upgrade-backup/rollout-1/1/container.json");
        String other =
                DockerNode.text(node.disk.readAll(saved))
                        .replace(DockerNode.OLD_DIGEST.value(), DockerNode.NEW_DIGEST.value());
        node.disk.putDurableFile(saved, DockerNode.bytes(other), FileAttributes.PRIVATE);
        String before = node.app().id();
        agent.processor.process(DockerNode.restore(2, 1));
        assertThat(agent.journal(2).ending().reason()).isEqualTo(ReasonCode.BACKUP_MISMATCH);
        assertThat(node.app().id()).isEqualTo(before);
        assertThat(node.isNew()).isTrue();
    }

    @Test
    @DisplayName("An image that is not there or not pinned never stops the program")
    void neverStopsTheProgramForABadImage() {
        String absent = DockerNode.NEW.replace("registry.test/app", "registry.test/none");
        node.imageAfter = absent;
        agent.processor.process(node.upgrade(1));
        assertThat(agent.journal(1).ending().reason()).isEqualTo(ReasonCode.ARTIFACT_NOT_FOUND);
        assertThat(agent.journal(1).mayHaveMutated()).isFalse();
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName(
            "H11: a file that no bind of the machine shows is refused before anything is touched")
    void refusesAFileWithoutAPlaceOnTheMachine() {
        assertThatThrownBy(
                        () ->
                                agent.runtime.requireLaunchable(
                                        DockerNode.spec(node.launchAfter),
                                        List.of(new NodePath("/data/app.toml"))))
                .isInstanceOf(PathRefused.class)
                .hasMessage(
                        "/data/app.toml is in no directory of the machine that the container sees:"
                                + " bind-mount one there.");
    }

    @Test
    @DisplayName("A container gets the signal of the settings, and is killed after their timeout")
    void stopsByTheSettings() {
        DockerNode stubborn = DockerNode.running(ProgramBehavior.IGNORES_SIGNALS);
        DockerNode.Agent other = stubborn.agent(1).boot();
        other.processor.process(stubborn.upgrade(1));
        assertThat(stubborn.isNew()).isTrue();
        Duration timeout = Duration.ofMinutes(30);
        long before = stubborn.ticker.nanos();

        String killed =
                other.runtime.stop(
                        DockerNode.APP,
                        new StopSettings(Optional.of(StopSignal.QUIT), Optional.of(timeout)),
                        stubborn.ticker.deadlineIn(timeout.plusSeconds(40)));

        assertThat(stubborn.engine.signals()).containsExactly(StopSignal.QUIT);
        assertThat(stubborn.app().isRunning()).isFalse();
        assertThat(Duration.ofNanos(stubborn.ticker.nanos() - before))
                .isBetween(timeout, timeout.plusSeconds(1));
        assertThat(killed)
                .isEqualTo("Container app did not end within 1800 s of SIGQUIT and was killed.");
    }

    @Test
    @DisplayName("A container that the engine itself kills after its time is reported, too")
    void reportsAContainerThatTheEngineKilled() {
        DockerNode stubborn = DockerNode.running(ProgramBehavior.IGNORES_SIGNALS);
        DockerNode.Agent other = stubborn.agent(1).boot();
        other.processor.process(stubborn.upgrade(1));

        String killed =
                other.runtime.stop(
                        DockerNode.APP,
                        StopSettings.RUNTIME_DEFAULT,
                        stubborn.ticker.deadlineIn(Duration.ofMinutes(1)));

        assertThat(killed)
                .isEqualTo("Container app did not end within 20 s of SIGTERM and was killed.");
    }

    @Test
    @DisplayName("Without a signal the engine sends that of the container")
    void leavesTheSignalToTheEngine() {
        String killed =
                agent.runtime.stop(
                        DockerNode.APP,
                        StopSettings.RUNTIME_DEFAULT,
                        node.ticker.deadlineIn(Duration.ofMinutes(1)));

        assertThat(killed).isEmpty();
        assertThat(node.engine.signals()).isEmpty();
        assertThat(node.app().isRunning()).isFalse();
    }

    @Test
    @DisplayName("The round trip is proved before anything is touched")
    void refusesAContainerThatCannotBeMadeAgain() {
        ObjectNode body = DockerNode.json("{'HostConfig': {'AutoRemove': true}}");
        body.put("Image", DockerNode.OLD);
        node.engine.stop(node.app().id(), Duration.ZERO);
        node.engine.rename(node.app().id(), "other");
        node.engine.create("app", body);
        assertThatThrownBy(
                        () ->
                                agent.runtime.requireLaunchable(
                                        DockerNode.spec(node.launchAfter), List.of()))
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("HostConfig.AutoRemove");
    }

    @Test
    @DisplayName("Only the containers and registries that the node lists are touched")
    void keepsToTheNodesOwnPolicy() {
        DockerRuntime other = agent.runtime(Map.of("containers", "web,db", "registries", "a.test"));
        assertThatThrownBy(
                        () -> other.requireLaunchable(DockerNode.spec(node.launchAfter), List.of()))
                .hasMessageContaining("touch no container app");
        var artifact =
                new drover.opsagent.journal.Artifact(DockerNode.NEW, DockerNode.NEW_DIGEST, 0);
        assertThatThrownBy(
                        () ->
                                other.acquire(
                                        artifact,
                                        Path.of("/none"),
                                        node.ticker.deadlineIn(Duration.ofSeconds(1)),
                                        _ -> {}))
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("no images from registry.test");
        assertThatThrownBy(() -> DockerAccessSettings.of(Map.of("color", "red")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'color' is no setting");
    }

    @Test
    @DisplayName(
            "Where there is a restart policy the engine starts fallen containers, else the agent")
    void leavesRestartsToTheEngineWhereItDoesThem() {
        String id = node.app().id();
        node.engine.stop(id, Duration.ZERO);
        agent.supervise();
        assertThat(node.app().isRunning()).isFalse();
        node.engine.setRestartPolicy(id, RestartPolicy.NO);
        agent.supervise();
        assertThat(node.app().isRunning()).isTrue();
    }

    @Test
    void restartsAContainerWhoseLogCannotBeRead() {
        String id = node.app().id();
        node.engine.setRestartPolicy(id, RestartPolicy.NO);
        node.engine.setLogsUnavailable(true);
        node.engine.stop(id, Duration.ZERO);

        agent.supervise();

        assertThat(node.app().isRunning()).isTrue();
        assertThat(agent.runtime.describeLastCrash(DockerNode.APP))
                .endsWith("(it printed nothing)");
        assertThatThrownBy(() -> agent.runtime.logTail(DockerNode.APP, 100))
                .hasMessageContaining("does not support reading");
    }

    @Test
    @DisplayName("F1: restarts by the engine are counted, and again and again is a crash loop")
    void countsTheEnginesRestarts() {
        agent.runtime.resetRestartCounters(DockerNode.APP);
        for (int i = 0; i < 3; i++) {
            node.engine.crashContainer("app");
            agent.supervise();
        }
        assertThat(agent.runtime.status(DockerNode.APP))
                .isInstanceOfSatisfying(
                        ProgramState.Up.class, up -> assertThat(up.startsSince()).isEqualTo(3));
        assertThat(agent.runtime.isCrashLooping(DockerNode.APP)).isTrue();
        assertThat(agent.runtime.describeLastCrash(DockerNode.APP))
                .isEqualTo("with an unknown exit code (last line: \"earlier output of app\")");
        agent.runtime.resetRestartCounters(DockerNode.APP);
        assertThat(agent.runtime.status(DockerNode.APP))
                .isInstanceOfSatisfying(
                        ProgramState.Up.class, up -> assertThat(up.startsSince()).isZero());
    }

    @Test
    @DisplayName(
            "An engine that is away is waited for in an attempt, and a look does not hang on it")
    void retriesAnUnavailableEngine() {
        node.engine.setUnavailable(true);
        long before = node.ticker.nanos();
        assertThat(agent.runtime.status(DockerNode.APP)).isInstanceOf(ProgramState.Down.class);
        assertThat(agent.runtime.status(DockerNode.APP).desired()).isTrue();
        assertThat(Duration.ofNanos(node.ticker.nanos() - before))
                .isLessThan(Duration.ofSeconds(12));
        assertThatThrownBy(
                        () ->
                                agent.runtime.stop(
                                        DockerNode.APP,
                                        StopSettings.RUNTIME_DEFAULT,
                                        node.ticker.deadlineIn(Duration.ofSeconds(5))))
                .isInstanceOf(ActionFailed.class)
                .hasMessageContaining("look at the engine");
        node.engine.setUnavailable(false);
        assertThat(agent.runtime.status(DockerNode.APP)).isInstanceOf(ProgramState.Up.class);
    }

    private AttemptOutcome outcome(long attempt) {
        return agent.journal(attempt).ending().outcome();
    }
}
