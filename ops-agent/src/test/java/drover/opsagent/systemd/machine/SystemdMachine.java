package drover.opsagent.systemd.machine;

import static org.awaitility.Awaitility.await;

import drover.opsagent.main.Waits;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A machine under a real systemd: a container with a root, processes and a network of its own, made
 * from what {@code .ci/systemd-root} keeps. The systemd of the machine that runs the test is never
 * spoken to.
 */
public final class SystemdMachine implements AutoCloseable {
    private static final Duration BOOT = Waits.LIMIT; // 3 s on an idle machine
    private static final String MISSING =
            "SKIPPED: no systemd to boot; .ci/systemd-root makes one, as root";
    private final Path tools;
    private final Path work;
    private final Path root;
    private @Nullable Process nspawn;
    private long init;

    private SystemdMachine(Path cache, Path work) {
        this.tools = cache.resolve("tools");
        this.work = work;
        this.root = work.resolve("root");
    }

    /** A copy of the kept root, not booted yet. The test is skipped aloud where there is none. */
    public static SystemdMachine prepare(Path work) throws IOException {
        Path cache = kept("systemd");
        boolean bootable =
                Files.exists(cache.resolve("complete"))
                        && "root".equals(System.getProperty("user.name"));
        if (!bootable) {
            System.out.println(MISSING); // a class that is skipped as a whole says nothing itself
        }
        Assumptions.assumeTrue(bootable, MISSING);
        SystemdMachine machine = new SystemdMachine(cache, work);
        Files.createDirectories(work);
        onHost("cp", "-a", "--reflink=auto", cache + "/root", machine.root.toString());
        return machine;
    }

    private static Path kept(String name) {
        String home =
                Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
                        .orElse(System.getProperty("user.home") + "/.cache");
        return Path.of(home, "drover", name);
    }

    /** Lays the packages that are kept under a name over its root; whether there are any. */
    public boolean lay(String name) {
        boolean there = Files.exists(kept(name).resolve("complete"));
        if (there) {
            onHost("cp", "-a", "--reflink=auto", kept(name) + "/root/.", root.toString());
        }
        return there;
    }

    /** Where a path of the machine is on the host. */
    public Path at(String path) {
        return root.resolve(path.substring(1));
    }

    /** Writes a file of it, with the directories above. */
    public void put(String path, byte[] content) throws IOException {
        Path file = at(path);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, content);
    }

    /** Copies the test's own classes into it; the class path that they have there. */
    public String installClasses() throws IOException {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":", -1)) {
            Path from = Path.of(entry).toAbsolutePath();
            if (!entry.isEmpty() && Files.exists(from)) {
                String to = "/opt/agent" + from;
                copy(from, at(to));
                entries.add(to);
            }
        }
        return String.join(":", entries);
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                Files.createDirectories(Files.isDirectory(path) ? target : target.getParent());
                if (!Files.isDirectory(path)) {
                    Files.copy(path, target);
                }
            }
        }
    }

    /** Boots it; comes back when it is up. */
    public void boot() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(tools.resolve("usr/bin/systemd-nspawn").toString());
        command.addAll(List.of("--quiet", "--boot", "--private-network", "--register=no"));
        command.addAll(List.of("--keep-unit", "--machine=drover-" + ProcessHandle.current().pid()));
        command.add("--bind-ro=" + System.getProperty("java.home"));
        command.add("--directory=" + root);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("LD_LIBRARY_PATH", libraries());
        builder.redirectErrorStream(true);
        builder.redirectOutput(
                ProcessBuilder.Redirect.appendTo(work.resolve("console.log").toFile()));
        builder.redirectInput(new File("/dev/null"));
        Process started = builder.start();
        nspawn = started;
        await().atMost(BOOT).until(() -> started.isAlive() && findInit(started));
        await().atMost(BOOT).until(() -> isUp());
    }

    private String libraries() throws IOException {
        try (var found =
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

    private boolean isUp() {
        return query("systemctl", "is-active", "multi-user.target").strip().equals("active");
    }

    /** Runs a command inside; what it says, and a failure when it fails. */
    public String run(String... command) {
        Output reported = inside(command);
        if (reported.exit() != 0) {
            throw new IllegalStateException(String.join(" ", command) + ": " + reported.output());
        }
        return reported.output();
    }

    /** Runs a command inside; what it says, whatever it thinks of it. */
    public String query(String... command) {
        return inside(command).output();
    }

    private Output inside(String... command) {
        List<String> all = new ArrayList<>();
        all.addAll(List.of("nsenter", "--target", Long.toString(init), "--all", "--"));
        all.addAll(List.of(command));
        return result(all);
    }

    /** The machine loses its power: nothing in it is told. */
    public void cutPower() {
        Process running = nspawn;
        if (running != null) {
            ProcessHandle.of(init).ifPresent(ProcessHandle::destroyForcibly);
            boolean ended = waitedFor(running);
            running.destroyForcibly();
            if (!ended) {
                throw new IllegalStateException("The machine does not go off");
            }
        }
        nspawn = null;
    }

    private static boolean waitedFor(Process process) {
        try {
            return process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        cutPower();
        onHost("rm", "-rf", "--one-file-system", root.toString());
    }

    private record Output(int exit, String output) {}

    private static void onHost(String... command) {
        Output reported = result(List.of(command));
        if (reported.exit() != 0) {
            throw new IllegalStateException(reported.output());
        }
    }

    private static Output result(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output =
                    new String(
                            process.getInputStream().readAllBytes(),
                            java.nio.charset.StandardCharsets.UTF_8);
            return new Output(waitedFor(process) ? process.exitValue() : -1, output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
