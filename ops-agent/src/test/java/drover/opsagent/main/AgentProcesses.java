package drover.opsagent.main;

import static org.awaitility.Awaitility.await;

import drover.opsagent.runtime.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The agents of one node, each a process of its own. Starts them as the machine does, and knows
 * them by what the kernel says.
 *
 * @param directory of the node: its versions, its token, and what the agents say
 * @param gateway address that they dial
 */
public record AgentProcesses(Path directory, Path state, Path root, String gateway) {
    /** How long an agent waits for the control plane to hear its successor; never needed. */
    public static final Duration LONG_DEADLINE = Duration.ofSeconds(60);

    private static final List<String> LOCAL = List.of("--allow-local");
    private static final Duration END = Waits.LIMIT; // of all that are killed

    static List<String> java(List<String> options) {
        List<String> java = new ArrayList<>();
        java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        java.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"));
        java.add("-Xmx128m");
        java.addAll(options);
        return java;
    }

    Path versions() {
        return directory.resolve("versions");
    }

    public Path jar(String version) {
        return versions().resolve(version).resolve("drover-agent.jar");
    }

    /**
     * Starts an agent.
     *
     * @param version its directory, or the link {@code current}
     */
    public Process start(String version, Duration timeout) {
        return start(version, timeout, LOCAL, "");
    }

    /** Starts an agent that downloads as these flags say, instead of from this machine. */
    Process start(String version, Duration timeout, List<String> downloads) {
        return start(version, timeout, downloads, "");
    }

    private Process start(String version, Duration timeout, List<String> downloads, String marker) {
        List<String> command = java(SharedClassArchive.options());
        command.add("-D" + BlockingAgentMain.EXCHANGE + "=" + directory);
        command.addAll(List.of("-jar", jar(version).toString()));
        command.addAll(List.of("--gateway", gateway));
        command.addAll(downloads);
        command.addAll(List.of("--state", state.toString(), "--root", root.toString()));
        command.addAll(List.of("--token-file", directory.resolve("token").toString()));
        command.addAll(List.of("--handover-timeout", Long.toString(timeout.toSeconds())));
        ProcessBuilder builder = output(command);
        if (!marker.isEmpty()) {
            builder.environment().put(Processes.MARKER, marker);
        }
        return started(builder);
    }

    /** What an agent's jar says to a person who asks it for one thing, and its exit code. */
    public String run(String version, String... flags) {
        List<String> command = java(SharedClassArchive.options());
        command.addAll(List.of("-jar", jar(version).toString()));
        command.addAll(List.of(flags));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String message =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() + ": " + message;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ProcessBuilder output(List<String> command) {
        Path log = directory.resolve("agents.log");
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    }

    private static Process started(ProcessBuilder builder) {
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whom the machine starts after an agent was killed. */
    public enum Again {
        /** What the link names: {@code ops-agent.service}. */
        CURRENT,
        /** The same once more: an instance of {@code ops-agent@.service}. */
        ITSELF
    }

    /** Kills the agent that executes; at once the machine starts one again, as systemd would. */
    public void killExecutor(Again again, Duration timeout) {
        ProcessHandle executor = executors().getFirst();
        String version = version(executor);
        String marker = marker(executor);
        executor.destroyForcibly();
        await().atMost(END).until(() -> !executor.isAlive());
        switch (again) {
            case CURRENT -> start("current", timeout);
            case ITSELF -> start(version, timeout, LOCAL, marker);
        }
    }

    /** Where its jar lay when it was started. */
    private String version(ProcessHandle agent) {
        return words(agent).stream()
                .filter(word -> word.endsWith("/drover-agent.jar"))
                .map(word -> Path.of(word).getParent())
                .map(home -> String.valueOf(home.getFileName()))
                .findFirst()
                .orElseThrow();
    }

    /** By which other agents find it: that of its unit, were it one. */
    private static String marker(ProcessHandle agent) {
        return zeroEnded(agent, "environ").stream()
                .filter(pair -> pair.startsWith(Processes.MARKER + "="))
                .map(pair -> pair.substring(Processes.MARKER.length() + 1))
                .findFirst()
                .orElse("");
    }

    /** Every agent of this node, but no self-test. */
    public List<ProcessHandle> all() {
        return ProcessHandle.allProcesses()
                .filter(it -> words(it).contains(state.toString()))
                .filter(it -> !words(it).contains("--self-test"))
                .toList();
    }

    /** Those of them that were started from this version's directory. */
    public List<ProcessHandle> of(String version) {
        return all().stream().filter(it -> version(it).equals(version)).toList();
    }

    /** Those of them that hold the one lock that an agent takes. */
    public List<ProcessHandle> executors() {
        Set<Long> holders = holdersOfLocks();
        return all().stream().filter(it -> holders.contains(it.pid())).toList();
    }

    /** Lines such as {@code 7: POSIX ADVISORY WRITE 4711 fe:00:22 0 EOF}. */
    private static Set<Long> holdersOfLocks() {
        try {
            return Files.readAllLines(Path.of("/proc/locks")).stream()
                    .map(line -> line.split(" +", -1))
                    .filter(words -> words[1].equals("POSIX") && words[3].equals("WRITE"))
                    .map(words -> Long.valueOf(words[4]))
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> words(ProcessHandle process) {
        return zeroEnded(process, "cmdline");
    }

    private static List<String> zeroEnded(ProcessHandle process, String file) {
        try {
            Path path = Path.of("/proc", Long.toString(process.pid()), file);
            return Arrays.asList(Files.readString(path, StandardCharsets.ISO_8859_1).split("\0"));
        } catch (IOException e) {
            return List.of(); // it has ended
        }
    }

    /** Ends all of them, and those that they start meanwhile. */
    public void endAll() {
        await().atMost(END)
                .until(
                        () -> {
                            all().forEach(ProcessHandle::destroyForcibly);
                            return all().isEmpty();
                        });
    }
}
