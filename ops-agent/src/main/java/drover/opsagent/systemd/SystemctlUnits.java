package drover.opsagent.systemd;

import drover.opsagent.systemd.BoundedCommand.Result;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Units through {@code systemctl} and {@code journalctl}, which ship with every systemd. */
public final class SystemctlUnits implements Units {
    private static final Duration ANSWER = Duration.ofSeconds(10); // systemd answers in 10 ms
    private static final int JOURNAL_LINES = 200; // more than 8 KiB of log tail mostly are

    private static final String ALONE = "--no-ask-password"; // nobody is there to be asked

    private final Ticker ticker;
    private final ControlGroups groups = new ControlGroups();
    private final String systemctl;
    private final String journalctl;

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
        this.systemctl = tool("systemctl");
        this.journalctl = tool("journalctl");
    }

    private static String tool(String name) {
        for (String directory : List.of("/usr/bin", "/bin")) {
            Path candidate = Path.of(directory, name);
            if (Files.isExecutable(candidate)) {
                return candidate.toString();
            }
        }
        throw new IllegalArgumentException(
                "There is no " + name + " on this machine: choose another --runtime.");
    }

    @Override
    public UnitProperties show(UnitName unit) {
        String properties = "--property=" + String.join(",", UnitProperties.PROPERTIES);
        Result ended = run(systemctl, "show", properties, "--no-pager", "--", unit.value());
        if (ended.exit() != 0) {
            throw refused("show " + unit, ended);
        }
        return UnitProperties.parse(ended.output());
    }

    @Override
    public void start(UnitName unit, Deadline deadline) {
        // Whether it runs is looked at afterwards: systemctl's exit code proves neither.
        BoundedCommand.run(command("start", unit), deadline);
    }

    @Override
    public void stop(UnitName unit, Deadline deadline) {
        BoundedCommand.run(command("stop", unit), deadline);
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
            throw refused("read its unit files again", ended);
        }
    }

    @Override
    public List<Long> members(String controlGroup) {
        return groups.members(controlGroup);
    }

    @Override
    public String journalTail(UnitName unit, String invocation, int bytes) {
        Result ended =
                run(
                        journalctl,
                        "_SYSTEMD_INVOCATION_ID=" + invocation,
                        "_SYSTEMD_UNIT=" + unit,
                        "--lines=" + JOURNAL_LINES,
                        "--output=cat",
                        "--quiet",
                        "--no-pager");
        byte[] text = ended.output().getBytes(StandardCharsets.UTF_8);
        int from = Math.max(0, text.length - bytes);
        return new String(Arrays.copyOfRange(text, from, text.length), StandardCharsets.UTF_8);
    }

    private List<String> command(String verb, UnitName unit) {
        return List.of(systemctl, verb, "--quiet", ALONE, "--", unit.value());
    }

    private Result run(String... command) {
        return BoundedCommand.run(List.of(command), ticker.in(ANSWER));
    }

    private static UnitsUnavailable refused(String what, Result ended) {
        return new UnitsUnavailable("systemd did not " + what + " (" + ended.lastLine() + ")");
    }
}
