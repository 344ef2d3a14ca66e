package drover.opsagent.systemd;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a unit stands, without what names one run of it. */
public final class UnitSnapshot {
    private static final Set<String> OF_ONE_RUN =
            Set.of("MainPID", "InvocationID", "Job", "ExecStart");

    /** The command line; what follows it in the property tells when it was last run. */
    private static final Pattern COMMAND = Pattern.compile("argv\\[]=(.*?) ; ");

    private UnitSnapshot() {}

    /** All that systemd says of it: its state, how often it was started again, what it starts. */
    public static Map<String, String> of(SystemdUnits units, UnitName unit) {
        UnitProperties view = units.readProperties(unit);
        Map<String, String> lines = new TreeMap<>();
        view.values().forEach((name, value) -> lines.put(unit + " " + name, value));
        OF_ONE_RUN.forEach(name -> lines.remove(unit + " " + name));
        List<Long> members = units.members(view.controlGroup());
        lines.put(unit + " processes", Integer.toString(members.size()));
        lines.put(unit + " runs", Boolean.toString(members.contains(view.mainPid())));
        Matcher command = COMMAND.matcher(view.value("ExecStart"));
        lines.put(unit + " command", command.find() ? command.group(1) : view.executablePath());
        return lines;
    }
}
