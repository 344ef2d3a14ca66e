package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * D2: the real disk makes the system calls that the simulated disk models, in the same order. Some
 * file systems (ext4 with default options) keep a rename without {@code fsync} of the directory, so
 * that a test which cuts the power does not find a missing call; the trace does.
 */
class SystemCallsTest {
    private static final String TRACED =
            "openat,fsync,fdatasync,?rename,renameat,renameat2,?unlink,unlinkat,?rmdir,?mkdir,mkdirat";
    private static final Pattern CREATED =
            Pattern.compile("openat\\(.*O_EXCL.*\\) = \\d+<(?<path>[^>]*)>");
    private static final Pattern SYNCED =
            Pattern.compile("f(?:data)?sync\\(\\d+<(?<path>[^>]*)>\\)\\s+= 0");
    private static final Pattern RENAMED =
            Pattern.compile("rename\\w*\\(.*?\"(?<path>[^\"]*)\".*\"(?<to>[^\"]*)\".*\\)\\s+= 0");
    private static final Pattern DELETED =
            Pattern.compile("(?:unlink\\w*|rmdir)\\(.*?\"(?<path>[^\"]*)\".*\\)\\s+= 0");
    private static final Pattern MADE =
            Pattern.compile("mkdir\\w*\\(.*?\"(?<path>[^\"]*)\".*\\)\\s+= 0");

    @TempDir Path directory;

    @BeforeEach
    void requireStrace() throws IOException, InterruptedException {
        assumeTrue(
                runs("strace", "-o", "/dev/null", "true"),
                "strace is not installed or may not trace: install it with apt-get install strace");
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException _) {
            return false; // no such program
        }
    }

    @ParameterizedTest(name = "jailed: {0}")
    @DisplayName("D2: files and directories are synced on the real disk as the model says")
    @ValueSource(booleans = {false, true})
    void makesTheCallsOfTheModel(boolean jailed) throws IOException, InterruptedException {
        TracedWrites.RecordingDisk model = new TracedWrites.RecordingDisk(new SimulatedDisk());
        Path root = directory.resolve("root");
        model.createDirectory(root);
        model.calls.clear();
        TracedWrites.run(model, root);

        List<String> traced = trace(Files.createDirectory(directory.resolve("root")), jailed);

        assertThat(model.calls)
                .as("the model syncs the directory after a rename")
                .containsSequence("rename " + temporary(model.calls) + " app.toml", "sync app");
        assertThat(traced).isEqualTo(model.calls);
    }

    private static String temporary(List<String> calls) {
        return calls.stream()
                .filter(call -> call.startsWith("create "))
                .map(call -> call.substring("create ".length()))
                .findFirst()
                .orElseThrow();
    }

    /** Runs the operations in a process of their own and returns its calls. */
    private List<String> trace(Path root, boolean jailed) throws IOException, InterruptedException {
        Path traces = Files.createDirectory(directory.resolve("traces"));
        Path output = directory.resolve("output");
        Process traced =
                new ProcessBuilder(
                                "strace",
                                "-ff", // a file for each thread: calls are never split
                                "-y",
                                "-s",
                                "4096",
                                "-e",
                                "trace=" + TRACED,
                                "-o",
                                traces.resolve("thread").toString(),
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xshare:auto",
                                "-XX:-UsePerfData",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                TracedWrites.class.getName(),
                                root.toString(),
                                Boolean.toString(jailed))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertThat(traced.waitFor()).as(Files.readString(output)).isZero();
        List<List<String>> threads = new ArrayList<>();
        try (Stream<Path> files = Files.list(traces)) {
            for (Path file : files.toList()) {
                threads.add(
                        Files.readAllLines(file).stream()
                                .flatMap(line -> call(line, root).stream())
                                .toList());
            }
        }
        threads.removeIf(List::isEmpty);
        assertThat(threads).as("one thread writes").hasSize(1);
        return threads.getFirst();
    }

    /** A traced line in the words of the model; empty for what is not below the directory. */
    private static Optional<String> call(String line, Path root) {
        return match("create", CREATED, line, root)
                .or(() -> match("sync", SYNCED, line, root))
                .or(() -> match("rename", RENAMED, line, root))
                .or(() -> match("delete", DELETED, line, root))
                .or(() -> match("mkdir", MADE, line, root));
    }

    private static Optional<String> match(String verb, Pattern pattern, String line, Path root) {
        Matcher found = pattern.matcher(line);
        if (!found.find()) {
            return Optional.empty();
        }
        Path path = Path.of(found.group("path"));
        boolean held = path.startsWith("/proc/self/fd"); // below a directory that is held open
        if (!held && !path.startsWith(root)) {
            return Optional.empty();
        }
        String to = verb.equals("rename") ? " " + name(Path.of(found.group("to"))) : "";
        return Optional.of(verb + " " + name(path) + to);
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }
}
