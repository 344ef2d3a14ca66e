package drover.system.failover;

import drover.bench.deployment.DroverBuild;
import drover.bench.deployment.ServiceProcess;
import drover.bench.deployment.StartedResources;
import drover.localenv.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.event.Level;

/**
 * The programs of a mesh as processes. Each can be killed, frozen and started again by its name.
 */
public final class ServiceProcesses {
    /**
     * Today's build for a life of a minute: what Java compiles it compiles once, and not a second
     * time for the long run. That is half of the processor time of a mesh that is tested.
     */
    public static final DroverBuild SHORT_LIVED =
            new DroverBuild(
                    DroverBuild.current().name(),
                    DroverBuild.current().classPath(),
                    List.of("-XX:TieredStopAtLevel=1"));

    private static final int HEAP = 256;

    private final Path directory;
    private final StartedResources running;
    private final Set<Integer> ports = new HashSet<>();
    private final DroverBuild usual;
    private final Map<String, Function<DroverBuild, ServiceProcess>> known = new LinkedHashMap<>();
    private final Map<String, DroverBuild> builds = new HashMap<>();
    private final Map<String, Integer> endpoints = new HashMap<>();
    private final Map<String, ServiceProcess> alive = new TreeMap<>();

    /**
     * @param usual of all programs, until they are replaced
     */
    ServiceProcesses(Path directory, StartedResources running, DroverBuild usual) {
        this.directory = directory;
        this.running = running;
        this.usual = usual;
    }

    /**
     * Where something listens, which is chosen the first time.
     *
     * @return 127.0.0.1 and a port
     */
    String endpoint(String name) {
        return "127.0.0.1:" + port(name);
    }

    int port(String name) {
        return endpoints.computeIfAbsent(
                name,
                _ -> {
                    int free = Ports.findFree(ports);
                    ports.add(free);
                    return free;
                });
    }

    /** Makes a program known; it is started later. */
    void know(String name, Class<?> main, Map<String, String> environment, List<String> arguments) {
        known.put(
                name,
                build -> build.start(directory, main, Level.INFO, HEAP, environment, arguments));
    }

    /** From its next start on a program is of this build. */
    void of(String name, DroverBuild build) {
        builds.put(name, build);
    }

    /** All that are known, one after the other, and waits for their doors. */
    void startAll() {
        known.keySet().forEach(this::start);
        known.keySet().stream().filter(endpoints::containsKey).forEach(this::awaitEndpoint);
    }

    /** Starts it, or starts it again; its door opens a moment later. */
    void start(String name) {
        Function<DroverBuild, ServiceProcess> program = Objects.requireNonNull(known.get(name));
        DroverBuild build = builds.getOrDefault(name, usual);
        alive.put(name, running.start(() -> program.apply(build)));
    }

    void awaitEndpoint(String name) {
        var _ = process(name).awaitPort(Objects.requireNonNull(endpoints.get(name)));
    }

    /**
     * Whether it takes connections. One that has ended because it could not start is started again,
     * as a machine does with its services.
     */
    boolean isUp(String name) {
        if (!isAlive(name)) {
            start(name);
            return false;
        }
        return process(name).acceptsConnections(Objects.requireNonNull(endpoints.get(name)));
    }

    /** SIGKILL. */
    void kill(String name) {
        process(name).kill();
    }

    /** SIGTERM; comes back when it has ended. */
    void end(String name) {
        process(name).close();
    }

    /** SIGTERM; comes back at once. */
    void terminate(String name) {
        process(name).terminate();
    }

    /** {@code STOP} or {@code CONT}. */
    void signal(String name, String signal) {
        signal(process(name).pid(), signal);
    }

    static void signal(long pid, String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().onExit().join();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean isAlive(String name) {
        return process(name).isAlive();
    }

    /** What it has said since it was started. */
    List<String> log(String name) {
        try {
            return Files.readAllLines(process(name).log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ServiceProcess process(String name) {
        return Objects.requireNonNull(alive.get(name), name);
    }

    /** All at once would be polite, and slow. */
    void killAll() {
        alive.values().forEach(ServiceProcess::kill);
    }
}
