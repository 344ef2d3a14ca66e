package drover.bench.deployment;

import drover.localenv.Await;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.event.Level;

/** One program of the mesh as a process. */
public final class ServiceProcess implements AutoCloseable {
    private static final Duration START =
            Duration.ofMinutes(2); // seconds; busy machines take their time
    private static final Duration CONNECT = Duration.ofMillis(500);
    private static final int GRACE_SECONDS = 10;

    private final String name;
    private final Path log;
    private final Process process;

    private ServiceProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts a main class, with the classes of this process.
     *
     * @param heap largest heap in MiB
     * @param environment what must not stand in the list of processes, such as passwords
     */
    public static ServiceProcess start(
            Path logs,
            Class<?> main,
            Level level,
            int heap,
            Map<String, String> environment,
            List<String> arguments) {
        return DroverBuild.current().start(logs, main, level, heap, environment, arguments);
    }

    /** The same, with the classes of this build in place of the ones of this process. */
    static ServiceProcess start(
            Path logs,
            DroverBuild build,
            Class<?> main,
            Level level,
            int heap,
            Map<String, String> environment,
            List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(build.java());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-Xmx" + heap + "m",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        build.classPath(),
                        LoggingMainWrapper.class.getName(),
                        level.name(),
                        main.getName()));
        command.addAll(arguments);
        Path log = logs.resolve(main.getSimpleName() + "-" + System.nanoTime() + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        try {
            return new ServiceProcess(main.getSimpleName(), log, builder.start());
        } catch (IOException e) {
            throw new UserFacingError(
                    main.getSimpleName() + " cannot be started: " + e.getMessage(), e);
        }
    }

    /** Waits until its door takes connections. */
    public ServiceProcess awaitPort(int port) {
        Await.until(START, () -> !process.isAlive() || acceptsConnections(port));
        if (!acceptsConnections(port)) {
            close();
            throw new UserFacingError(name + " did not start; its log is " + log + ".");
        }
        return this;
    }

    public boolean acceptsConnections(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                    (int) CONNECT.toMillis());
            return true;
        } catch (IOException e) {
            return false; // not yet
        }
    }

    Duration cpu() {
        return CpuTime.of(process.pid());
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** By which the system knows it. */
    public long pid() {
        return process.pid();
    }

    public Path log() {
        return log;
    }

    /** Ends it by force: for what has nothing to lose. */
    public void kill() {
        process.destroyForcibly();
        awaitExit();
    }

    /** SIGTERM, without a program that sends it; comes back at once. */
    public void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        terminate();
        if (!awaitExit()) {
            kill();
        }
    }

    private boolean awaitExit() {
        try {
            return process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
