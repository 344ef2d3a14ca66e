package drover.opsagent.runtime;

import drover.model.Digest;
import drover.opsagent.time.Ticker;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The processes of a Linux machine, seen through {@code /proc}. */
public final class LinuxProcesses implements Processes {
    private static final Path PROC = Path.of("/proc");
    private static final long LARGEST_LOG = 8L << 20; // turned over at the next start
    private static final long TICKS_A_SECOND = 100; // USER_HZ, fixed in Linux's interface
    private static final Duration EXEC_WAIT = Duration.ofSeconds(2); // setsid takes milliseconds
    // Nothing else of the agent's environment reaches a program: no credential leaks into it.
    private static final Set<String> PASSED_ON =
            Set.of("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME", "USER");

    private final Ticker ticker;
    private final @Nullable Path setsid;

    /** Looks for {@code setsid}; without it programs start in the agent's session. */
    public LinuxProcesses(Ticker ticker) {
        this.ticker = ticker;
        this.setsid = find("setsid");
    }

    private static @Nullable Path find(String program) {
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
        return text(PROC.resolve("sys/kernel/random/boot_id")).strip();
    }

    @Override
    public Pid spawn(Order order) {
        List<String> command = new ArrayList<>();
        if (setsid != null) {
            command.add(setsid.toString());
        }
        command.addAll(order.command());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(order.workingDirectory().toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().retainAll(PASSED_ON);
        environment.putAll(order.environment());
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(turnedOver(order.log())));
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        try {
            long number = builder.start().pid();
            awaitExec(number);
            Stat stat = stat(number);
            return new Pid(number, stat == null ? 0 : stat.startTicks());
        } catch (IOException e) {
            throw new SpawnFailed(String.valueOf(e.getMessage()), e);
        }
    }

    /** Until setsid has become the program, the process would prove setsid's digest. */
    private void awaitExec(long number) {
        var waited = ticker.in(EXEC_WAIT);
        while (setsid != null && !waited.hasPassed() && isStill(number, setsid)) {
            ticker.pause(Duration.ofMillis(2));
        }
    }

    private static boolean isStill(long number, Path program) {
        try {
            Path exe = Files.readSymbolicLink(process(number).resolve("exe"));
            return exe.equals(program.toRealPath());
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static File turnedOver(Path log) {
        try {
            if (Files.exists(log) && Files.size(log) > LARGEST_LOG) {
                Path older = log.resolveSibling(log.getFileName() + ".1");
                Files.move(log, older, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            throw new SpawnFailed("The log cannot be turned over: " + log, e);
        }
        return log.toFile();
    }

    @Override
    public boolean isAlive(Pid pid) {
        Stat stat = stat(pid.number());
        return stat != null && stat.startTicks() == pid.startTicks() && !stat.ended();
    }

    @Override
    public List<Pid> members(String marker, Pid first) {
        boolean leader = isAlive(first);
        byte[] wanted = (MARKER + "=" + marker + "\0").getBytes(StandardCharsets.UTF_8);
        List<Pid> members = new ArrayList<>();
        for (long number : numbers()) {
            Stat stat = stat(number);
            if (stat != null && !stat.ended()) {
                boolean session = leader && stat.session() == first.number();
                if (session || (!marker.isEmpty() && isMarked(number, wanted))) {
                    members.add(new Pid(number, stat.startTicks()));
                }
            }
        }
        return members;
    }

    private static List<Long> numbers() {
        try (Stream<Path> entries = Files.list(PROC)) {
            return entries.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> !name.isEmpty() && name.chars().allMatch(Character::isDigit))
                    .map(Long::parseLong)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read /proc", e);
        }
    }

    private static boolean isMarked(long number, byte[] wanted) {
        try {
            String environment =
                    new String(
                            Files.readAllBytes(process(number).resolve("environ")),
                            StandardCharsets.ISO_8859_1);
            return environment.contains(new String(wanted, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return false; // it has ended, or it is another user's and none of ours
        }
    }

    @Override
    public void terminate(Pid pid) {
        if (isAlive(pid)) {
            ProcessHandle.of(pid.number()).ifPresent(ProcessHandle::destroy);
        }
    }

    @Override
    public void kill(Pid pid) {
        if (isAlive(pid)) {
            ProcessHandle.of(pid.number()).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    @Override
    public Digest executable(Pid pid) {
        MessageDigest hash = Digest.sha256();
        byte[] buffer = new byte[64 * 1024];
        try (InputStream in = Files.newInputStream(process(pid.number()).resolve("exe"))) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hash.update(buffer, 0, n);
            }
        } catch (IOException e) {
            throw new Gone(pid);
        }
        return Digest.ofHash(hash.digest());
    }

    @Override
    public Duration upFor(Pid pid) {
        String uptime = text(PROC.resolve("uptime"));
        double seconds = Double.parseDouble(uptime.substring(0, uptime.indexOf(' ')));
        long millis = (long) (seconds * 1000) - pid.startTicks() * 1000 / TICKS_A_SECOND;
        return Duration.ofMillis(Math.max(0, millis));
    }

    private record Stat(char state, long session, long startTicks) {
        boolean ended() {
            return state == 'Z' || state == 'X';
        }
    }

    private static @Nullable Stat stat(long number) {
        if (number <= 0) {
            return null;
        }
        try {
            String line = Files.readString(process(number).resolve("stat"));
            // The name in parentheses may hold anything: fields are counted from its end.
            List<String> fields =
                    List.of(line.substring(line.lastIndexOf(')') + 2).strip().split(" "));
            return new Stat(
                    fields.get(0).charAt(0),
                    Long.parseLong(fields.get(3)),
                    Long.parseLong(fields.get(19)));
        } catch (IOException e) {
            return null; // it has ended
        }
    }

    private static Path process(long number) {
        return PROC.resolve(Long.toString(number));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }
}
