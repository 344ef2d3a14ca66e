package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.Faults;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.LocalOperatorChannel;
import drover.localenv.RunningDeployment;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.Strategy;
import drover.standalone.command.Main;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.Waits;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of the whole mesh in the middle of a rollout, as a process of its own: started
 * again, the rollout goes on, programs are adopted, none is an orphan, none runs twice.
 */
class StandaloneKillIT {
    private static final int NODES = 4;

    @TempDir Path folder;

    private DataDirectory data = new DataDirectory(Path.of("."));
    private @Nullable Process deployment; // null before it is started

    @BeforeEach
    void needsEveryPart() {
        FullBuildAssumption.requireEverything();
        data = new DataDirectory(folder.resolve("mesh"));
    }

    @AfterEach
    void leaveNothing() throws Exception {
        if (deployment != null) {
            deployment.destroyForcibly().waitFor();
        }
        if (data.isInitialized()) {
            drover("down").waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    @Test
    @Timeout(600)
    @DisplayName("G3: the mesh is killed in mid-rollout, then its database: nothing told is lost")
    @Faults(
            rule = "G3 (a restart loses no acknowledged call)",
            sample = "EmbeddedOrExternalDatabaseIT.forgetsNothingThatWasCommittedG3")
    void goesOnWithARolloutAfterEachKill() throws Exception {
        RunningDeployment first = up();
        String rollout = on(first, StandaloneKillIT::createAndStart);
        awaitSucceeded(first, rollout, 1);
        killed();
        // The node in flight, batches being of one, may be between its stop and its start.
        assertThat(pids()).as("programs outlive the mesh").hasSizeBetween(NODES - 1, NODES);

        RunningDeployment second = up();
        assertThat(succeeded(second, rollout)).isPositive();
        int received = awaitSucceeded(second, rollout, 2);
        ProcessHandle server = postmaster();
        assertThat(server.destroyForcibly()).isTrue();
        server.onExit().get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        killed();

        RunningDeployment third = up();
        assertThat(succeeded(third, rollout)).isGreaterThanOrEqualTo(received);
        Rollout ended = on(third, stub -> await(stub, rollout, StandaloneKillIT::isOver));
        assertThat(ended.getStatus()).isEqualTo(RolloutStatus.ROLLOUT_STATUS_COMPLETED);
        assertThat(ended.getSucceededNodes()).isEqualTo(NODES);
        assertThat(pids()).as("one process for each node").hasSize(NODES);
    }

    private int awaitSucceeded(RunningDeployment deployment, String rollout, int nodes) {
        Predicate<Rollout> enough = it -> it.getSucceededNodes() >= nodes || isOver(it);
        Rollout seen = on(deployment, stub -> await(stub, rollout, enough));
        assertThat(seen.getSucceededNodes())
                .as(() -> "nodes that succeeded\n" + on(deployment, stub -> nodes(stub, rollout)))
                .isGreaterThanOrEqualTo(nodes);
        return seen.getSucceededNodes();
    }

    private int succeeded(RunningDeployment deployment, String rollout) {
        return on(deployment, stub -> await(stub, rollout, _ -> true)).getSucceededNodes();
    }

    private ProcessHandle postmaster() throws IOException {
        Path pid = data.postgres().resolve("cluster/postmaster.pid");
        return ProcessHandle.of(Long.parseLong(Files.readAllLines(pid).getFirst().strip()))
                .orElseThrow();
    }

    @Test
    @Timeout(600)
    @Faults(
            rule = "S1-2 (programs keep running while the agent ends and starts)",
            sample = "OpsAgentMainIT.adoptsTheProgramAfterAKill")
    void adoptsProgramsThatAreHealthyAndDownEndsWhatAKilledDeploymentLeftBehind() throws Exception {
        up();
        Set<Long> before = pids();
        killed();
        up();
        assertThat(pids()).isEqualTo(before).hasSize(NODES);

        killed();
        assertThat(pids()).hasSize(NODES);
        Process down = drover("down");
        assertThat(down.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(down.exitValue()).isZero();
        assertThat(pids()).isEmpty();
    }

    private RunningDeployment up() throws IOException {
        Process started =
                drover(
                        "up",
                        "--nodes",
                        Integer.toString(NODES),
                        "--http-port=0",
                        "--grpc-port=0",
                        "--agent-port=0");
        deployment = started;
        assertThat(
                        Await.until(
                                Waits.LIMIT,
                                () ->
                                        !started.isAlive()
                                                || RunningDeployment.read(
                                                                data.runningDeploymentFile())
                                                        .filter(it -> it.pid() == started.pid())
                                                        .isPresent()))
                .isTrue();
        assertThat(started.isAlive()).as("the mesh is up; it said:\n%s", output()).isTrue();
        // The last program may still be on its way to its own command line.
        assertThat(Await.until(Waits.LIMIT, () -> pids().size() == NODES)).isTrue();
        return RunningDeployment.read(data.runningDeploymentFile()).orElseThrow();
    }

    private void killed() throws InterruptedException {
        if (deployment != null) {
            deployment.destroyForcibly().waitFor(); // SIGKILL
        }
    }

    private Process drover(String command, String... more) throws IOException {
        List<String> line =
                new java.util.ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                command,
                                "--data",
                                data.root().toString()));
        line.addAll(List.of(more));
        return new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("said.log").toFile()))
                .start();
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("said.log"));
    }

    /** Counted by command line, not by what any agent has on record: an orphan would show. */
    private Set<Long> pids() {
        String place = data.nodes() + "/";
        return ProcessHandle.allProcesses()
                .map(ProcessHandle::pid)
                .filter(pid -> commandLine(pid).contains(place))
                .collect(Collectors.toSet());
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
        } catch (IOException e) {
            return ""; // it has just ended
        }
    }

    private <T> T on(RunningDeployment deployment, Function<RolloutServiceBlockingStub, T> work) {
        ManagedChannel channel = LocalOperatorChannel.connect(deployment, data);
        try {
            return work.apply(RolloutServiceGrpc.newBlockingStub(channel).withWaitForReady());
        } finally {
            channel.shutdownNow();
        }
    }

    private static String createAndStart(RolloutServiceBlockingStub stub) {
        String id =
                stub.createRollout(
                                CreateRolloutRequest.newBuilder()
                                        .setChainProfileId("harbour")
                                        .setNodeType("edge")
                                        .setUpgradeId("greeter-v2")
                                        .setSourceVersion("v1")
                                        .setStrategy(Strategy.STRATEGY_ROLLING)
                                        .setBatchSize(1)
                                        .build())
                        .getRollout()
                        .getId();
        stub.startRollout(StartRolloutRequest.newBuilder().setRolloutId(id).build());
        return id;
    }

    private static Rollout await(
            RolloutServiceBlockingStub stub, String id, Predicate<Rollout> until) {
        Rollout[] seen = {Rollout.getDefaultInstance()};
        boolean so =
                Await.until(
                        Duration.ofMinutes(2),
                        () -> {
                            seen[0] = poll(stub, id, seen[0]);
                            return until.test(seen[0]);
                        });
        assertThat(so)
                .as(() -> "within two minutes; last seen:\n" + seen[0] + nodes(stub, id))
                .isTrue();
        return seen[0];
    }

    /** What every node says of itself, for whoever reads a failure. */
    private static String nodes(RolloutServiceBlockingStub stub, String id) {
        return stub.withDeadlineAfter(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                .listRolloutNodes(ListRolloutNodesRequest.newBuilder().setRolloutId(id).build())
                .toString();
    }

    private static Rollout poll(RolloutServiceBlockingStub stub, String id, Rollout before) {
        try {
            return stub.withDeadlineAfter(5, TimeUnit.SECONDS)
                    .getRollout(GetRolloutRequest.newBuilder().setRolloutId(id).build())
                    .getRollout();
        } catch (StatusRuntimeException e) {
            return before; // the next look tells
        }
    }

    private static boolean isOver(Rollout rollout) {
        return rollout.hasFinishedAt()
                || rollout.getStatus() == RolloutStatus.ROLLOUT_STATUS_PAUSED;
    }
}
