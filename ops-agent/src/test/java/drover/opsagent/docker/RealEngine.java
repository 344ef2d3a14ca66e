package drover.opsagent.docker;

import static org.awaitility.Awaitility.await;

import drover.opsagent.main.Waits;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real Docker engine and a registry, in a network namespace of their own: what they do to
 * networks stays there, and nothing outside reaches them but over the engine's socket.
 */
final class RealEngine implements AutoCloseable {
    private static final Duration START = Waits.LIMIT;
    final Path directory;
    private final Path unpacked;
    private @Nullable Process engine;
    private @Nullable Process registry;

    private RealEngine(Path unpacked, Path directory) {
        this.unpacked = unpacked;
        this.directory = directory;
        // A build that is interrupted is to leave nothing that runs.
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "end-engine"));
    }

    private void open() throws IOException {
        engine = startEngine();
        Path config = directory.resolve("registry.yml");
        Files.writeString(
                config,
                """
                version: 0.1
                log: {level: error}
                storage: {filesystem: {rootdirectory: %s}}
                http: {addr: 127.0.0.1:5000}
                """
                        .formatted(directory.resolve("registry")));
        registry =
                process(
                        "registry.log",
                        "nsenter",
                        "-t",
                        Long.toString(enginePid()),
                        "-n",
                        unpacked.resolve("usr/bin/docker-registry").toString(),
                        "serve",
                        config.toString());
        await().atMost(START).ignoreExceptions().until(this::isRegistryUp);
    }

    /** Why there is none here; empty when there can be one. */
    static Optional<String> whyNot() {
        if (!System.getProperty("user.name").equals("root")) {
            return Optional.of("a Docker engine of one's own needs root");
        }
        if (!Files.isExecutable(place().resolve("usr/sbin/dockerd"))) {
            return Optional.of("there is no Docker engine in " + place() + ": run .ci/run");
        }
        try {
            output(List.of("unshare", "-n", "true"));
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("this machine allows no network namespace: " + e.getMessage());
        }
    }

    private static Path place() {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path home =
                cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
        return home.resolve("drover/docker");
    }

    static RealEngine start(Path directory) throws IOException {
        RealEngine started = new RealEngine(place(), directory);
        try {
            started.open();
            return started;
        } catch (IOException | RuntimeException e) {
            started.end();
            throw e;
        }
    }

    Path socket() {
        return directory.resolve("engine.sock");
    }

    private Process startEngine() throws IOException {
        String script =
                """
                busybox="$1"; shift
                "$busybox" ip link set lo up
                exec dockerd --data-root "$1/data" --exec-root "$1/exec" -p "$1/engine.pid" \
                  -H "unix://$1/engine.sock" --iptables=false --ip6tables=false --ip-masq=false \
                  --ip-forward=false --userland-proxy=false --shutdown-timeout 3
                """;
        Process started =
                process(
                        "engine.log",
                        "unshare",
                        "-n",
                        "bash",
                        "-c",
                        script,
                        "engine",
                        unpacked.resolve("bin/busybox").toString(),
                        directory.toString());
        await().atMost(START).until(this::answers);
        return started;
    }

    private long enginePid() throws IOException {
        return Long.parseLong(Files.readString(directory.resolve("engine.pid")).strip());
    }

    /** Ends the engine, which ends all containers, and starts it again in the same namespace. */
    void restart() throws IOException {
        String namespaceKeeper = Long.toString(Objects.requireNonNull(registry).pid());
        end(engine);
        engine =
                process(
                        "engine-2.log",
                        "nsenter",
                        "-t",
                        namespaceKeeper,
                        "-n",
                        "dockerd",
                        "--data-root",
                        directory.resolve("data").toString(),
                        "--exec-root",
                        directory.resolve("exec").toString(),
                        "-p",
                        directory.resolve("engine.pid").toString(),
                        "-H",
                        "unix://" + socket(),
                        "--iptables=false",
                        "--ip6tables=false",
                        "--ip-masq=false",
                        "--ip-forward=false",
                        "--userland-proxy=false");
        await().atMost(START).until(this::answers);
    }

    /** No registry can be reached any more. */
    void cutOff() throws IOException {
        inNamespace("bin/busybox", "ip", "link", "set", "lo", "down");
    }

    /** It can be reached again. */
    void reconnect() throws IOException {
        inNamespace("bin/busybox", "ip", "link", "set", "lo", "up");
    }

    private boolean isRegistryUp() throws IOException {
        return inNamespace("bin/busybox", "wget", "-q", "-O", "-", "http://127.0.0.1:5000/v2/")
                .contains("{");
    }

    private String inNamespace(String program, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of("nsenter", "-t", Long.toString(enginePid()), "-n"));
        command.add(unpacked.resolve(program).toString());
        command.addAll(List.of(arguments));
        return output(command);
    }

    /** Makes an image of busybox and a file, pushes it, and says what it is pinned by. */
    String publish(String tag, String... changes) throws IOException {
        Path root = directory.resolve("image-" + tag);
        Files.createDirectories(root.resolve("bin"));
        Files.copy(unpacked.resolve("bin/busybox"), root.resolve("bin/busybox"));
        for (String applet : List.of("sh", "sleep", "cat", "trap")) {
            Files.createSymbolicLink(root.resolve("bin").resolve(applet), Path.of("busybox"));
        }
        Files.writeString(root.resolve("version"), tag);
        Path archive = directory.resolve(tag + ".tar");
        output(List.of("tar", "-C", root.toString(), "-cf", archive.toString(), "."));
        String name = "127.0.0.1:5000/app:" + tag;
        List<String> command = new ArrayList<>(List.of("import"));
        for (String change : changes) {
            command.addAll(List.of("-c", change));
        }
        command.addAll(List.of(archive.toString(), name));
        docker(command.toArray(String[]::new));
        docker("push", "-q", name);
        String pinned = docker("image", "inspect", "-f", "{{index .RepoDigests 0}}", name).strip();
        docker("image", "rm", name);
        return pinned;
    }

    /** The ids of what an image's name means to the engine: none when it does not have it. */
    String images(String name) throws IOException {
        return docker("images", "-q", name).strip();
    }

    /** Whether it can be asked. */
    boolean answers() {
        try {
            return docker("version").contains("Server");
        } catch (IOException e) {
            return false;
        }
    }

    /** What the engine's own client says. */
    String docker(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                unpacked.resolve("usr/bin/docker").toString(),
                                "-H",
                                "unix://" + socket()));
        command.addAll(List.of(arguments));
        return output(command);
    }

    private static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String message =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(command + " says " + message);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return message;
    }

    private Process process(String log, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .merge(
                        "PATH",
                        "",
                        (path, _) ->
                                unpacked.resolve("usr/bin")
                                        + File.pathSeparator
                                        + unpacked.resolve("usr/sbin")
                                        + File.pathSeparator
                                        + path);
        return builder.redirectOutput(directory.resolve(log).toFile()).start();
    }

    /** Ends what was started here, and nothing else. */
    private void end() {
        end(engine);
        end(registry);
    }

    private static void end(@Nullable Process process) {
        if (process == null) {
            return;
        }
        process.destroy();
        try {
            if (!process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            for (String id : docker("ps", "-aq").lines().toList()) {
                docker("rm", "-f", "-v", id);
            }
        } finally {
            end();
        }
    }
}
