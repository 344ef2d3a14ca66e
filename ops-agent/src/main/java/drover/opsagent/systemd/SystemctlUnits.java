package drover.opsagent.systemd;

import drover.opsagent.systemd.BoundedCommand.Result;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** Units through {@code systemctl} and {@code journalctl}, which ship with every systemd. */
public final class SystemctlUnits implements SystemdUnits {
    private static final Duration ANSWER = Duration.ofSeconds(10); // systemd answers in 10 ms
    private static final int BYTES_PER_LINE = 16; // few lines of a log are shorter
    private static final String PROCESS_EXITED = "98e322203f7a4ed290d09fe03c09fe15"; // of systemd

    private static final String ALONE = "--no-ask-password"; // nobody is there to be asked

    private final Ticker ticker;
    private final ControlGroups groups = new ControlGroups();
    private final String systemctl;
    private final String journalctl;
    private final String runuser; // empty if the agent may not become another user

    /**
     * Looks for systemd's own tools.
     *
     * @throws IllegalArgumentException when systemd does not run this machine
     */
    public SystemctlUnits(Ticker ticker) {
        this.ticker = ticker;
        if (!Files.isDirectory(Path.of("/run/systemd/system"))) { // as sd_booted(3) tells
            throw new IllegalArgumentException(
                    "systemd does not run this machine: choose another --runtime.");
        }
        this.systemctl = findTool("systemctl");
        this.journalctl = findTool("journalctl");
        boolean root = System.getProperty("user.name", "").equals("root");
        this.runuser = root ? findOptionalTool("runuser").orElse("") : "";
    }

    private static Optional<String> findOptionalTool(String name) {
        return Stream.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }

    private static String findTool(String name) {
        return findOptionalTool(name).orElseThrow(() -> missingTool(name));
    }

    private static IllegalArgumentException missingTool(String name) {
        return new IllegalArgumentException(
                "There is no " + name + " on this machine: choose another --runtime.");
    }

    @Override
    public UnitProperties readProperties(UnitName unit) {
        String properties = "--property=" + String.join(",", UnitProperties.PROPERTIES);
        Result ended = run(systemctl, "show", properties, "--no-pager", "--", unit.value());
        if (ended.exit() != 0) {
            throw commandFailure("show " + unit, ended);
        }
        return UnitProperties.parse(ended.output());
    }

    @Override
    public boolean isExecutableBy(String user, List<String> groups, Path file) {
        if (MountTable.ofSystemd().isNoExec(file)) {
            return false;
        }
        return user.isEmpty()
                || runuser.isEmpty()
                || mayExecute(user, List.of(), file)
                || (!groups.isEmpty() && mayExecute(user, groups, file));
    }

    private boolean mayExecute(String user, List<String> groups, Path file) {
        List<String> command = new ArrayList<>(List.of(runuser, "-u", user));
        groups.forEach(group -> command.addAll(List.of("-G", group)));
        command.addAll(List.of("--", "test", "-x", file.toString()));
        Result ended = BoundedCommand.run(command, ticker.deadlineIn(ANSWER));
        // test prints nothing; runuser exits with 1 as well, and says why.
        return ended.exit() != 1 || !ended.output().isBlank();
    }

    @Override
    public void start(UnitName unit, Deadline deadline) {
        // Whether it runs is looked at afterwards: systemctl's exit code proves neither.
        BoundedCommand.run(systemctlCommand("start", unit), deadline);
    }

    @Override
    public void stop(UnitName unit, Deadline deadline) {
        BoundedCommand.run(systemctlCommand("stop", unit), deadline);
    }

    @Override
    public void kill(UnitName unit) {
        // Without --kill-whom every process is meant, and older ones spell that option otherwise.
        run(systemctl, "kill", "--signal=SIGKILL", ALONE, "--", unit.value());
    }

    @Override
    public void resetFailed(UnitName unit) {
        run(systemctl, "reset-failed", "--quiet", ALONE, "--", unit.value());
    }

    @Override
    public void reload(Deadline deadline) {
        Result ended = BoundedCommand.run(List.of(systemctl, "daemon-reload", ALONE), deadline);
        if (ended.exit() != 0) {
            throw commandFailure("read its unit files again", ended);
        }
    }

    @Override
    public List<Long> members(String controlGroup) {
        return groups.members(controlGroup);
    }

    @Override
    public String journalTail(UnitName unit, String invocation, int bytes) {
        String output =
                runJournalctl(
                        unit,
                        "_SYSTEMD_INVOCATION_ID=" + invocation,
                        "_SYSTEMD_UNIT=" + unit,
                        "--lines=" + bytes / BYTES_PER_LINE,
                        "--output=cat");
        byte[] text = output.getBytes(StandardCharsets.UTF_8);
        int from = Math.max(0, text.length - bytes);
        return new String(Arrays.copyOfRange(text, from, text.length), StandardCharsets.UTF_8);
    }

    @Override
    public OptionalInt exitCodeIfNonZero(UnitName unit, String invocation) {
        String entry =
                runJournalctl(
                        unit,
                        "INVOCATION_ID=" + invocation,
                        "MESSAGE_ID=" + PROCESS_EXITED,
                        "--lines=1",
                        "--output=export");
        return UnitProperties.exitCode(field(entry, "EXIT_CODE"), field(entry, "EXIT_STATUS"));
    }

    private static String field(String entry, String name) {
        return entry.lines()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    private String runJournalctl(UnitName unit, String... options) {
        List<String> command = new ArrayList<>(List.of(journalctl, "--quiet", "--no-pager"));
        command.addAll(List.of(options));
        Result ended = BoundedCommand.run(command, ticker.deadlineIn(ANSWER));
        if (ended.exit() != 0) {
            throw commandFailure("read the journal of " + unit, ended);
        }
        return ended.output();
    }

    private List<String> systemctlCommand(String verb, UnitName unit) {
        return List.of(systemctl, verb, "--quiet", ALONE, "--", unit.value());
    }

    private Result run(String... command) {
        return BoundedCommand.run(List.of(command), ticker.deadlineIn(ANSWER));
    }

    private static SystemdCallFailed commandFailure(String what, Result ended) {
        return new SystemdCallFailed("systemd did not " + what + " (" + ended.lastLine() + ")");
    }
}
