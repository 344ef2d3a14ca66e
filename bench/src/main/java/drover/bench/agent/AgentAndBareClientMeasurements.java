package drover.bench.agent;

import com.google.protobuf.ByteString;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.bench.deployment.StartedResources;
import drover.localenv.Await;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What was measured of both.
 *
 * @param tls their starts with certificates
 * @param down how long the program was down in its upgrade
 * @param bareDowntime how long it is down when it is just ended and started
 */
public record AgentAndBareClientMeasurements(
        Measurement agent,
        Measurement bare,
        TlsStartupTimes tls,
        Duration down,
        Duration bareDowntime) {
    static final int RATE = 20 << 20; // 100 MiB in five seconds, of which some are looked at
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /**
     * How much is done.
     *
     * @param idle after the last start, before anything is measured again
     */
    public record WorkloadSize(int starts, Duration idle, long bytes) {}

    /** Of one of the two; memory in KiB. */
    public record Measurement(
            Duration welcome,
            Duration welcomeCpu,
            JvmMemory idle,
            Duration idleCpu,
            JvmMemory loading,
            long mostWhileLoading) {}

    /** Takes all of them, the starts of both in turn. */
    public static AgentAndBareClientMeasurements measure(
            UnpackedAgent archive, Path place, StartedResources running, WorkloadSize shape) {
        PreparedNodeDirectory node = PreparedNodeDirectory.createIn(place, shape.bytes());
        FakeGateway gateway = running.start(() -> new FakeGateway(node.nextArtifact(), RATE));
        Path prepared = place.resolve("bare.aot");
        List<String> bare =
                archive.bareClientCommand(gateway, prepared, place.resolve("downloaded"));
        List<String> agent = archive.agentCommand(gateway, node.state(), node.root(), node.token());
        Path log = place.resolve("log");
        try (MeasuredProcess preparing =
                MeasuredProcess.startAndAwaitWelcome(
                        archive.bareClientAotTrainingCommand(
                                gateway, prepared, place.resolve("downloaded")),
                        gateway,
                        log)) {
            Await.until(Duration.ofSeconds(2), () -> preparing.pid() == 0);
        }
        List<Duration> agents = new ArrayList<>();
        List<Duration> bares = new ArrayList<>();
        for (int start = 1; start < shape.starts(); start++) {
            agents.add(measureStart(agent, gateway, log));
            bares.add(measureStart(bare, gateway, log));
        }
        TlsStartupTimes tls =
                TlsStartupTimes.measure(archive, node, place, running, shape.starts());
        Command download =
                Command.newBuilder()
                        .setBody(ByteString.copyFromUtf8(gateway.artifactUrl()))
                        .build();
        Measurement bareSide = measureProcess(bare, gateway, log, shape, bares, download, running);
        ProgramDowntimeWatcher outage =
                running.start(() -> ProgramDowntimeWatcher.startWatching(node.program()));
        Measurement agentSide =
                measureProcess(
                        agent,
                        gateway,
                        log,
                        shape,
                        agents,
                        node.upgradeCommand(gateway.artifactUrl()),
                        running);
        Duration down = outage.stopAndGetLongest();
        return new AgentAndBareClientMeasurements(
                agentSide, bareSide, tls, down, measureBareDowntime(node.program()));
    }

    static Duration measureStart(List<String> command, FakeGateway gateway, Path log) {
        try (MeasuredProcess process =
                MeasuredProcess.startAndAwaitWelcome(command, gateway, log)) {
            return process.timeToWelcome();
        }
    }

    private static Measurement measureProcess(
            List<String> command,
            FakeGateway gateway,
            Path log,
            WorkloadSize shape,
            List<Duration> welcomes,
            Command work,
            StartedResources running) {
        MeasuredProcess process =
                running.start(() -> MeasuredProcess.startAndAwaitWelcome(command, gateway, log));
        Duration startCpu = process.cpu();
        welcomes.add(process.timeToWelcome());
        sleep(Duration.ofSeconds(10)); // what a start has still to do
        Duration before = process.cpu();
        sleep(shape.idle());
        Duration cpu = process.cpu().minus(before);
        JvmMemory idle = JvmMemory.measure(process.pid());
        int served = gateway.servedArtifactCount();
        gateway.send(work);
        sleep(Duration.ofSeconds(2)); // in the middle of it
        JvmMemory loading = JvmMemory.measure(process.pid());
        long[] most = {loading.resident()};
        Await.until(
                TIMEOUT,
                POLL_INTERVAL,
                () -> {
                    most[0] = Math.max(most[0], JvmMemory.residentKib(process.pid()));
                    return gateway.servedArtifactCount() > served;
                });
        if (work.hasField(Command.getDescriptor().findFieldByName("epoch"))) {
            requireDone(gateway.awaitResult(1));
        }
        process.close();
        return new Measurement(lowerMedian(welcomes), startCpu, idle, cpu, loading, most[0]);
    }

    static Duration lowerMedian(List<Duration> all) {
        return all.stream().sorted().toList().get((all.size() - 1) / 2);
    }

    private static void requireDone(AttemptStatus status) {
        if (status.getOutcome() != AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED) {
            throw new UserFacingError("The upgrade did not succeed: " + status + ".");
        }
    }

    private static void sleep(Duration time) {
        Await.until(time, () -> false);
    }

    /** Ends what the agent has left running, starts the same once more, and ends it. */
    private static Duration measureBareDowntime(Path program) {
        try (ProgramDowntimeWatcher outage = ProgramDowntimeWatcher.startWatching(program)) {
            sleep(Duration.ofMillis(200));
            ProcessHandle.of(ProgramDowntimeWatcher.pid(program)).orElseThrow().destroy();
            Await.until(
                    TIMEOUT, Duration.ofMillis(1), () -> ProgramDowntimeWatcher.pid(program) == 0);
            Process again = new ProcessBuilder(program.toString(), "86400").start();
            sleep(Duration.ofMillis(500));
            Duration longest = outage.stopAndGetLongest();
            again.destroyForcibly();
            return longest;
        } catch (IOException e) {
            throw new UserFacingError(program + " cannot be started: " + e.getMessage(), e);
        }
    }
}
