package drover.opsagent.systemd;

import drover.opsagent.runtime.ExitDescriber;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What systemd says of a unit, by the names of its properties ({@code org.freedesktop.systemd1}).
 *
 * @param values of {@link #PROPERTIES}; what systemd did not say is empty
 */
public record UnitProperties(Map<String, String> values) {
    /** The properties that are asked for, and no others. */
    static final List<String> PROPERTIES =
            List.of(
                    "LoadState",
                    "ActiveState",
                    "SubState",
                    "Result",
                    "Type",
                    "Restart",
                    "RemainAfterExit",
                    "CanStart",
                    "CanStop",
                    "TriggeredBy",
                    "UnitFileState",
                    "MainPID",
                    "NRestarts",
                    "InvocationID",
                    "ControlGroup",
                    "Job",
                    "ExecMainCode",
                    "ExecMainStatus",
                    "ExecStart",
                    "KillSignal",
                    "TimeoutStopUSec",
                    "User",
                    "Group",
                    "SupplementaryGroups",
                    "DropInPaths");

    private static final Pattern EXECUTED = Pattern.compile("\\{ path=(\\S+) ;");

    public UnitProperties {
        values = Map.copyOf(values);
    }

    /** Reads the lines {@code Name=value} of {@code systemctl show}. */
    static UnitProperties parse(String output) {
        Map<String, String> values = new HashMap<>();
        output.lines()
                .forEach(
                        line -> {
                            int equals = line.indexOf('=');
                            if (equals > 0 && PROPERTIES.contains(line.substring(0, equals))) {
                                values.put(line.substring(0, equals), line.substring(equals + 1));
                            }
                        });
        return new UnitProperties(values);
    }

    String value(String property) {
        return values.getOrDefault(property, "");
    }

    /** Whether there is such a unit, and systemd could read it. */
    boolean isLoaded() {
        return value("LoadState").equals("loaded");
    }

    /** Whether its main process runs and it says that it is ready. */
    boolean isUp() {
        return mainPid() > 0
                && List.of("active", "reloading", "refreshing").contains(activeState());
    }

    /** Whether it is on its way up, or systemd has been told to bring it there. */
    boolean isUpOrStarting() {
        boolean queued = !value("Job").isEmpty() && !value("Job").equals("0");
        return isUp() || activeState().equals("activating") || queued;
    }

    /** Whether systemd is done with it: it will start nothing of it by itself. */
    boolean isDown() {
        return activeState().equals("inactive")
                || activeState().equals("failed")
                || activeState().isEmpty();
    }

    /** Whether it ended as something that went wrong. */
    boolean hasFailed() {
        return activeState().equals("failed");
    }

    /** Whether it is started with the machine. */
    boolean isEnabled() {
        return value("UnitFileState").startsWith("enabled");
    }

    /** Number of its main process; 0 when there is none. */
    long mainPid() {
        return number("MainPID");
    }

    /** How often systemd has started it again by itself since somebody started it. */
    int restarts() {
        return (int) number("NRestarts");
    }

    /** Names this run of it; each start makes another. */
    String invocation() {
        return value("InvocationID");
    }

    /** Where its processes are counted; empty when it has none. */
    String controlGroup() {
        return value("ControlGroup");
    }

    /** The file that its start executes; empty when that is not known. */
    String executablePath() {
        Matcher path = EXECUTED.matcher(value("ExecStart"));
        return path.find() ? path.group(1) : "";
    }

    /** The user that its processes run as; empty for root, or that of systemd itself. */
    String user() {
        return value("User");
    }

    /** The groups that its unit file gives its processes; empty if they have those of the user. */
    List<String> groups() {
        String names = value("Group") + " " + value("SupplementaryGroups");
        return Stream.of(names.split(" ", -1)).filter(name -> !name.isEmpty()).toList();
    }

    /**
     * Exit code of the last run of its main process, 128 plus the signal if a signal ended it;
     * empty if it runs or never ran.
     */
    OptionalInt exitCode() {
        return exitCode(value("ExecMainCode"), value("ExecMainStatus"));
    }

    /**
     * Exit code as shells write it.
     *
     * @param code how the process ended, as a number of waitid(2) or as the journal names it
     * @param status exit status or number of the signal
     */
    static OptionalInt exitCode(String code, String status) {
        if (!status.matches("[0-9]{1,3}")) {
            return OptionalInt.empty();
        }
        int number = Integer.parseInt(status);
        return switch (code) {
            case "1", "exited" -> OptionalInt.of(number);
            case "2", "3", "killed", "dumped" -> OptionalInt.of(128 + number);
            default -> OptionalInt.empty();
        };
    }

    /** Signal that asks its processes to end. */
    String stopSignal() {
        long signal = number("KillSignal");
        return signal == 0 ? "SIGTERM" : ExitDescriber.signalName((int) signal);
    }

    /** Time from that signal until systemd kills it, as systemd writes it. */
    String stopTimeout() {
        return value("TimeoutStopUSec");
    }

    /** Whether systemd killed it because its time to stop had expired. */
    boolean hasExceededStopTimeout() {
        return value("Result").equals("timeout");
    }

    /** How it stands, for people. */
    String summary() {
        return activeState()
                + " ("
                + value("Result")
                + ", exit status "
                + number("ExecMainStatus")
                + ")";
    }

    /** The same and more, line by line; properties that systemd did not tell are left out. */
    SortedMap<String, String> toDisplayLines() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("state", value("ActiveState") + " (" + value("SubState") + ")");
        Map.of(
                        "main process", "MainPID",
                        "run", "InvocationID",
                        "starts with the machine", "UnitFileState",
                        "restart", "Restart",
                        "type", "Type")
                .forEach((name, property) -> lines.put(name, value(property)));
        lines.values().removeIf(String::isEmpty);
        return lines;
    }

    private String activeState() {
        return value("ActiveState");
    }

    private long number(String property) {
        String text = value(property);
        boolean digits = !text.isEmpty() && text.length() < 10;
        return digits && text.chars().allMatch(Character::isDigit) ? Long.parseLong(text) : 0;
    }
}
