package drover.bench.agent;

import drover.localenv.Await;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One agent, or the bare client in its place, as a process. */
public final class MeasuredProcess implements AutoCloseable {
    private static final Duration WELCOME = Duration.ofMinutes(2); // seconds; a busy machine's
    private static final Duration POLL_INTERVAL = Duration.ofMillis(1);
    private static final int GRACE_SECONDS = 20; // a preparing run writes what it prepared
    private final Process process;
    private final Duration untilWelcome;

    private MeasuredProcess(Process process, Duration untilWelcome) {
        this.process = process;
        this.untilWelcome = untilWelcome;
    }

    /** Starts it and waits until it was welcomed. Java counts its own memory in it. */
    static MeasuredProcess startAndAwaitWelcome(
            List<String> command, FakeGateway gateway, Path log) {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("JDK_JAVA_OPTIONS", "-XX:NativeMemoryTracking=summary");
        int before = gateway.welcomeCount();
        long started = System.nanoTime();
        try {
            Process process = builder.start();
            Await.until(
                    WELCOME,
                    POLL_INTERVAL,
                    () -> gateway.welcomeCount() > before || !process.isAlive());
            Duration took = Duration.ofNanos(System.nanoTime() - started);
            if (gateway.welcomeCount() == before) {
                process.destroyForcibly();
                throw new UserFacingError(
                        command.getFirst() + " did not dial; its log is " + log + ".");
            }
            return new MeasuredProcess(process, took);
        } catch (IOException e) {
            throw new UserFacingError(
                    command.getFirst() + " cannot be started: " + e.getMessage(), e);
        }
    }

    Duration timeToWelcome() {
        return untilWelcome;
    }

    /** Processor time so far, in steps of 10 ms. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }
}
