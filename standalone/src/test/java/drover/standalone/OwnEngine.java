package drover.standalone;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A Docker engine and a registry of the test's own, made from what {@code .ci/docker-engine.sh}
 * keeps, in a network namespace of their own. The machine's engine is never spoken to.
 */
final class OwnEngine implements AutoCloseable {
    private static final Duration START = Waits.LIMIT;
    private static final Path UNPACKED = BootedDebian.cache().resolve("docker");

    private final Path directory;
    private final List<Process> started = new ArrayList<>();

    private OwnEngine(Path directory) {
        this.directory = directory;
    }

    /** Why there is none here; empty when there can be one. */
    static Optional<String> whyNot() {
        if (!System.getProperty("user.name").equals("root")) {
            return Optional.of("a Docker engine of one's own needs root");
        }
        if (!Files.isExecutable(UNPACKED.resolve("usr/sbin/dockerd"))) {
            return Optional.of("there is no Docker engine in " + UNPACKED + ": run .ci/run");
        }
        try {
            output("unshare", "-n", "true");
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("this machine allows no network namespace: " + e.getMessage());
        }
    }

    static OwnEngine start(Path directory) throws IOException {
        OwnEngine engine = new OwnEngine(directory);
        try {
            engine.open();
            return engine;
        } catch (IOException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    Path socket() {
        return directory.resolve("engine.sock");
    }

    private void open() throws IOException {
        String script =
                """
                "$2" ip link set lo up
                exec dockerd --data-root "$1/data" --exec-root "$1/exec" -p "$1/engine.pid" \
                  -H "unix://$1/engine.sock" --iptables=false --ip6tables=false --ip-masq=false \
                  --ip-forward=false --userland-proxy=false --shutdown-timeout 3
                """;
        String busybox = UNPACKED.resolve("bin/busybox").toString();
        run("engine.log", "unshare", "-n", "bash", "-c", script, "x", directory + "", busybox);
        await().atMost(START).until(() -> answers("version", "Server"));
        Path config = directory.resolve("registry.yml");
        Files.writeString(
                config,
                "version: 0.1\nlog: {level: error}\nhttp: {addr: 127.0.0.1:5000}\n"
                        + "storage: {filesystem: {rootdirectory: "
                        + directory.resolve("registry")
                        + "}}\n");
        String registry = UNPACKED.resolve("usr/bin/docker-registry").toString();
        run("registry.log", "nsenter", "-t", pid(), "-n", registry, "serve", config.toString());
        List<String> look = inside("wget", "-q", "-O", "-", "http://127.0.0.1:5000/v2/");
        await().atMost(START)
                .ignoreExceptions()
                .until(() -> output(look.toArray(String[]::new)).contains("{"));
    }

    private String pid() throws IOException {
        return Files.readString(directory.resolve("engine.pid")).strip();
    }

    /** The command that runs one of busybox's programs in the engine's network. */
    List<String> inside(String... program) throws IOException {
        List<String> command = new ArrayList<>(List.of("nsenter", "-t", pid(), "-n"));
        command.add(UNPACKED.resolve("bin/busybox").toString());
        command.addAll(List.of(program));
        return command;
    }

    private boolean answers(String command, String word) {
        try {
            return docker(command).contains(word);
        } catch (IOException e) {
            return false;
        }
    }

    private void run(String log, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        String own =
                String.join(
                        File.pathSeparator,
                        UNPACKED + "/usr/bin",
                        UNPACKED + "/usr/sbin",
                        Compose.CACHE + "/bin"); // for names in networks, and for init
        builder.environment().merge("PATH", own, (path, more) -> more + File.pathSeparator + path);
        started.add(builder.redirectOutput(directory.resolve(log).toFile()).start());
    }

    /** Makes an image of busybox, pushes it, and says what it is pinned by. */
    String publish(String name, String tag, String... changes) throws IOException {
        Path root = directory.resolve("image-" + tag);
        Files.createDirectories(root.resolve("bin"));
        Files.copy(UNPACKED.resolve("bin/busybox"), root.resolve("bin/busybox"));
        for (String applet : List.of("sh", "sleep", "cat")) {
            Files.createSymbolicLink(root.resolve("bin").resolve(applet), Path.of("busybox"));
        }
        Files.writeString(root.resolve("version"), tag);
        Path archive = directory.resolve(tag + ".tar");
        output("tar", "-C", root.toString(), "-cf", archive.toString(), ".");
        String image = "127.0.0.1:5000/" + name + ":" + tag;
        List<String> command = new ArrayList<>(List.of("import"));
        for (String change : changes) {
            command.addAll(List.of("-c", change));
        }
        command.addAll(List.of(archive.toString(), image));
        docker(command.toArray(String[]::new));
        docker("push", "-q", image);
        String pinned = docker("image", "inspect", "-f", "{{index .RepoDigests 0}}", image).strip();
        docker("image", "rm", image);
        return pinned;
    }

    /** What the engine's own client says. */
    String docker(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(client().split(" ")));
        command.addAll(List.of(arguments));
        return output(command.toArray(String[]::new));
    }

    /** How its client is called. */
    String client() {
        return UNPACKED.resolve("usr/bin/docker") + " -H unix://" + socket();
    }

    private static String output(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(List.of(command) + " says " + said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return said;
    }

    /** Ends what was started here, and nothing else. */
    @Override
    public void close() throws IOException {
        try {
            for (String id : docker("ps", "-aq").lines().toList()) {
                docker("rm", "-f", "-v", id);
            }
        } finally {
            for (Process process : started) {
                process.destroy();
                try {
                    if (!process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                        process.destroyForcibly().waitFor();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
