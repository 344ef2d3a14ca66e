package drover.standalone;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A Debian of its own under a real systemd, made from what {@code .ci/systemd-root} keeps. It
 * shares the network of the machine that runs the test, so that its agent reaches the mesh there;
 * nothing else of that machine is touched.
 */
final class BootedDebian implements AutoCloseable {
    private static final Duration BOOT = Waits.LIMIT; // 3 s on an idle machine
    private static final String JAVA = System.getProperty("java.home");

    private final Path tools;
    private final Path work;
    private final Path root;
    private final Map<String, String> binds = new TreeMap<>();
    private final String classPath;
    private @Nullable Process nspawn;
    private long init;

    private BootedDebian(Path cache, Path work) {
        this.tools = cache.resolve("tools");
        this.work = work;
        this.root = work.resolve("root");
        this.classPath = bindClassPath();
    }

    /** Where {@code .ci} keeps things. */
    static Path cache() {
        String home =
                Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                        .orElse(System.getProperty("user.home") + "/.cache");
        return Path.of(home, "drover");
    }

    /** A copy of the kept root, not booted yet. The test is skipped aloud where there is none. */
    static BootedDebian prepare(Path work) throws IOException {
        Path cache = cache().resolve("systemd");
        boolean bootable =
                Files.exists(cache.resolve("complete"))
                        && "root".equals(System.getProperty("user.name"));
        String missing = "SKIPPED: no systemd to boot; .ci/systemd-root makes one, as root";
        if (!bootable) {
            System.out.println(missing); // a class that is skipped as a whole says nothing itself
        }
        Assumptions.assumeTrue(bootable, missing);
        BootedDebian machine = new BootedDebian(cache, work);
        Files.createDirectories(work);
        said(List.of("cp", "-a", "--reflink=auto", cache + "/root", machine.root.toString()));
        return machine;
    }

    /** What the test runs with, under places that the agent's unit does not hide. */
    private String bindClassPath() {
        List<String> places = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":", -1)) {
            Path from = Path.of(entry).toAbsolutePath();
            if (!entry.isEmpty() && Files.exists(from)) {
                String to = "/opt/drover/lib/" + places.size() + "-" + from.getFileName();
                binds.put(from.toString(), to);
                places.add(to);
            }
        }
        return String.join(":", places);
    }

    /** Shows a directory of the test's at a place of the machine, read-only. */
    void show(Path directory, String place) {
        binds.put(directory.toString(), place);
    }

    /** What starts one of Drover's programs inside. */
    List<String> java(String main) {
        return List.of(JAVA + "/bin/java", "-XX:TieredStopAtLevel=1", "-cp", classPath, main);
    }

    /** Where a path of the machine is on the host. */
    Path at(String path) {
        return root.resolve(path.substring(1));
    }

    void put(String path, byte[] content) throws IOException {
        Files.createDirectories(at(path).resolveSibling("."));
        Files.write(at(path), content);
    }

    void put(String path, String text) throws IOException {
        put(path, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Lays what a package holds over the machine's own; /lib is a link to /usr/lib there. */
    void overlay(Path tree) throws IOException {
        for (String top : List.of("etc", "usr", "var", "lib")) {
            Path from = tree.resolve(top);
            Path to = root.resolve(top.equals("lib") ? "usr/lib" : top);
            if (Files.isDirectory(from)) {
                said(List.of("cp", "-a", from + "/.", to.toString()));
            }
        }
    }

    /** Boots it; comes back when it is up. */
    void boot() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(tools.resolve("usr/bin/systemd-nspawn").toString());
        command.addAll(List.of("--quiet", "--boot", "--register=no", "--keep-unit"));
        command.add("--machine=drover-debian-" + ProcessHandle.current().pid());
        command.add("--bind-ro=" + JAVA);
        binds.forEach((from, to) -> command.add("--bind-ro=" + from + ":" + to));
        command.add("--directory=" + root);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("LD_LIBRARY_PATH", libraries());
        builder.redirectOutput(work.resolve("console.log").toFile());
        builder.redirectInput(Path.of("/dev/null").toFile());
        Process started = builder.start();
        nspawn = started;
        await().atMost(BOOT).until(() -> started.isAlive() && findInit(started));
        await().atMost(BOOT)
                .until(
                        () ->
                                ask("systemctl", "is-active", "multi-user.target")
                                        .strip()
                                        .equals("active"));
    }

    private String libraries() throws IOException {
        try (Stream<Path> found =
                Files.find(
                        tools,
                        8,
                        (path, _) -> path.endsWith("systemd") && Files.isDirectory(path))) {
            return String.join(":", found.map(Path::toString).toList());
        }
    }

    private boolean findInit(Process started) {
        Optional<ProcessHandle> child =
                started.children()
                        .filter(it -> it.info().command().orElse("").endsWith("/systemd"))
                        .findFirst();
        child.ifPresent(it -> init = it.pid());
        return child.isPresent();
    }

    /** Runs a command inside; what it says, and a failure when it fails. */
    String run(String... command) {
        return run(List.of(command));
    }

    String run(List<String> command) {
        return said(inside(command));
    }

    /** Runs a command inside; what it says, whatever it thinks of it. */
    String ask(String... command) {
        try {
            return said(inside(List.of(command)));
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private List<String> inside(List<String> command) {
        List<String> all = new ArrayList<>();
        all.addAll(List.of("nsenter", "--target", Long.toString(init), "--all", "--"));
        all.addAll(command);
        return all;
    }

    private static String said(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                    || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        Process running = nspawn;
        if (running != null) {
            ProcessHandle.of(init).ifPresent(ProcessHandle::destroyForcibly);
            try {
                if (!running.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    running.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        said(List.of("rm", "-rf", "--one-file-system", root.toString()));
    }
}
