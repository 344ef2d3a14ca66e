package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.program.StopSignal;
import drover.opsagent.runtime.Processes;
import drover.opsagent.time.Ticker;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The processes of a Linux machine, seen through {@code /proc}. */
public final class LinuxProcesses implements Processes {
    private static final Logger LOG = LoggerFactory.getLogger(LinuxProcesses.class);
    private static final long TICKS_A_SECOND = 100; // USER_HZ, fixed in Linux's interface
    private static final Duration EXEC_WAIT = Duration.ofSeconds(2); // setsid takes milliseconds

    /** Nothing else of the agent's environment reaches a program: no credential leaks into it. */
    public static final Set<String> PASSED_ON =
            Set.of("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME", "USER");

    private final Ticker ticker;
    private final @Nullable Path setsid;
    private final StartedProcessExitCodes started = new StartedProcessExitCodes();

    /**
     * Looks for {@code setsid}; without it programs start in the agent's session. Sets what
     * programs inherit of this process.
     */
    public LinuxProcesses(Ticker ticker) {
        InheritedAttributeDefaults.setDefaults();
        this.ticker = ticker;
        this.setsid = findExecutable("setsid");
    }

    /**
     * Whether programs start in a separate session. Without one, Ctrl-C on the agent's terminal
     * reaches them.
     */
    public static boolean canStartSessions() {
        return findExecutable("setsid") != null;
    }

    private static @Nullable Path findExecutable(String program) {
        for (String directory : List.of("/usr/bin", "/bin", "/usr/local/bin")) {
            Path candidate = Path.of(directory, program);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    @Override
    public String bootId() {
        return currentBootId();
    }

    private static String currentBootId() {
        return readText(ProcStat.PROC.resolve("sys/kernel/random/boot_id")).strip();
    }

    @Override
    public Pid spawn(LaunchRequest order) {
        ProcessBuilder builder =
                newBuilder(
                        order.command(),
                        order.workingDirectory(),
                        order.environment(),
                        order.marker());
        trimLogAndDetectDeletion(order.log(), Pid.NONE);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(order.log().toFile()));
        try {
            Process process = builder.start();
            awaitExec(process.pid());
            ProcStat stat = ProcStat.read(process.pid());
            Pid pid = new Pid(process.pid(), stat == null ? 0 : stat.startTicks());
            started.add(pid, process);
            return pid;
        } catch (IOException e) {
            throw new SpawnFailed(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * A start in a separate session, without input. Of the agent's environment only {@link
     * #PASSED_ON} reaches the program.
     *
     * @param environment added to it
     * @param marker name of the run, which its processes inherit
     */
    ProcessBuilder newBuilder(
            List<String> command, Path directory, Map<String, String> environment, String marker) {
        List<String> line = new ArrayList<>();
        if (setsid != null) {
            line.add(setsid.toString());
        }
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.directory(directory.toFile());
        builder.environment().keySet().retainAll(PASSED_ON);
        builder.environment().putAll(environment);
        builder.environment().put(MARKER, marker);
        builder.redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        return builder;
    }

    @Override
    public OptionalInt exitCode(Pid pid) {
        return started.exitCode(pid);
    }

    /** Until setsid has become the program, the process would prove setsid's digest. */
    private void awaitExec(long number) {
        var waited = ticker.deadlineIn(EXEC_WAIT);
        while (setsid != null && !waited.hasPassed() && isStillRunning(number, setsid)) {
            ticker.pause(Duration.ofMillis(2));
        }
    }

    private static boolean isStillRunning(long number, Path program) {
        try {
            Path exe = Files.readSymbolicLink(procDirectory(number).resolve("exe"));
            return exe.equals(program.toRealPath());
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    @Override
    public boolean trimLogAndDetectDeletion(Path log, Pid first) {
        Path output = procDirectory(first.number()).resolve("fd/1");
        boolean deleted = isAlive(first) && isDeleted(output, log);
        try {
            ProgramLogTrimmer.trimIfLarge(deleted ? output : log, log);
        } catch (IOException e) {
            LOG.warn("A program's log cannot be trimmed file={} reason={}", log, e.getMessage());
        }
        return deleted;
    }

    /** The kernel adds a word to the name of an open file that was deleted. */
    private static boolean isDeleted(Path descriptor, Path log) {
        try {
            Path directory = Objects.requireNonNull(log.getParent()).toRealPath();
            return Files.readSymbolicLink(descriptor)
                    .toString()
                    .equals(directory.resolve(log.getFileName()) + " (deleted)");
        } catch (IOException e) {
            return false; // it has ended, or is another user's
        }
    }

    @Override
    public boolean isAlive(Pid pid) {
        return isRunning(pid);
    }

    private static boolean isRunning(Pid pid) {
        ProcStat stat = ProcStat.read(pid.number());
        return stat != null && stat.startTicks() == pid.startTicks() && !stat.hasEnded();
    }

    @Override
    public Pid identify(long number) {
        ProcStat stat = ProcStat.read(number);
        return stat == null || stat.hasEnded() ? Pid.NONE : stat.pid();
    }

    @Override
    public List<Pid> findRunProcesses(String marker, Pid first) {
        // A session whose leader has ended may be another's by now: its number is free again.
        return find(marker, first, isRunning(first));
    }

    /** Lists the processes of an adopted run, which has no marker; empty after its end. */
    public static List<Pid> findAdoptedRun(Pid first, String bootId) {
        return bootId.equals(currentBootId()) && isRunning(first)
                ? find("", first, true)
                : List.of();
    }

    /**
     * The processes of a run whose first process runs or has ended a moment ago. Its session cannot
     * be another's yet.
     */
    Set<Pid> findRunProcessesAtEnd(String marker, Pid first) {
        Set<Pid> found = new LinkedHashSet<>(find(marker, first, true));
        if (isAlive(first)) {
            found.add(first);
        }
        return found;
    }

    private static List<Pid> find(String marker, Pid first, boolean sessionIsOfRun) {
        List<ProcStat> all = ProcStat.listRunning();
        byte[] wanted = (MARKER + "=" + marker + "\0").getBytes(StandardCharsets.UTF_8);
        Set<ProcStat> members = new LinkedHashSet<>();
        for (ProcStat stat : all) {
            // Nothing that is older than the run belongs to it.
            boolean young = stat.startTicks() >= first.startTicks();
            // An adopted process may belong to the session of the shell that started it.
            boolean session =
                    sessionIsOfRun
                            && (stat.session() == first.number() || stat.pid().equals(first));
            if (young && (session || (!marker.isEmpty() && hasMarker(stat.number(), wanted)))) {
                members.add(stat);
            }
        }
        return withDescendants(members, all);
    }

    /** Children belong to the run even when they shed its marker and its session. */
    private static List<Pid> withDescendants(Set<ProcStat> members, List<ProcStat> all) {
        Set<Long> numbers = new HashSet<>();
        members.forEach(member -> numbers.add(member.number()));
        boolean found = !members.isEmpty();
        while (found) { // ends: each turn but the last adds one of all
            found = false;
            for (ProcStat stat : all) {
                if (numbers.contains(stat.parent()) && numbers.add(stat.number())) {
                    members.add(stat);
                    found = true;
                }
            }
        }
        return members.stream().map(ProcStat::pid).toList();
    }

    private static boolean hasMarker(long number, byte[] wanted) {
        try {
            String environment =
                    new String(
                            Files.readAllBytes(procDirectory(number).resolve("environ")),
                            StandardCharsets.ISO_8859_1);
            return environment.contains(new String(wanted, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return false; // it has ended, or it is another user's and none of ours
        }
    }

    @Override
    public List<ObservedProcess> listInspectable() {
        return ProcReader.listInspectable();
    }

    @Override
    public void terminate(Pid pid, StopSignal signal) {
        if (isAlive(pid)) {
            KillCall.send(pid.number(), signal);
        }
    }

    @Override
    public void kill(Pid pid) {
        if (isAlive(pid)) {
            ProcessHandle.of(pid.number()).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Override
    public Digest executableDigest(Pid pid) {
        MessageDigest hash = Digest.sha256();
        byte[] buffer = new byte[64 * 1024];
        try (InputStream in = Files.newInputStream(procDirectory(pid.number()).resolve("exe"))) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hash.update(buffer, 0, n);
            }
        } catch (AccessDeniedException e) {
            throw new NotInspectable(pid);
        } catch (IOException e) {
            throw new ExitedBeforeInspection(pid);
        }
        return Digest.ofHash(hash.digest());
    }

    @Override
    public String executablePath(Pid pid) {
        try {
            return Files.readSymbolicLink(procDirectory(pid.number()).resolve("exe")).toString();
        } catch (AccessDeniedException e) {
            throw new NotInspectable(pid);
        } catch (IOException e) {
            throw new ExitedBeforeInspection(pid);
        }
    }

    @Override
    public Duration upFor(Pid pid) {
        String uptime = readText(ProcStat.PROC.resolve("uptime"));
        double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
        long millis = (long) (seconds * 1000) - pid.startTicks() * 1000 / TICKS_A_SECOND;
        return Duration.ofMillis(Math.max(0, millis));
    }

    private static Path procDirectory(long number) {
        return ProcStat.PROC.resolve(Long.toString(number));
    }

    private static String readText(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }
}
