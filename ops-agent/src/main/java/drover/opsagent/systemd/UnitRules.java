package drover.opsagent.systemd;

import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** Which units an agent can care for. Pure; each answer is one sentence, empty when it can. */
final class UnitRules {
    /** Those whose main process systemd knows for as long as they are up. */
    private static final Set<String> TYPES =
            Set.of("simple", "exec", "notify", "notify-reload", "forking");

    /** The agent's own units: it must not stop itself in the middle of an attempt. */
    private static final List<String> OWN = List.of("drover-agent", "ops-agent");

    private UnitRules() {}

    /** Whether a program may be this unit at all, by its name and by the node's own policy. */
    static String findRefusal(LaunchSpec launch, Set<String> listed) {
        String unit = launch.service();
        if (unit.isEmpty()) {
            return "The profile names no service: name the program's unit there.";
        }
        if (!UnitName.isValidServiceName(unit)) {
            return "'" + unit + "' is no plain name of a service: name it as app.service.";
        }
        if (isAgentUnit(unit)) {
            return unit + " is the agent's own: name the program's unit in the profile.";
        }
        if (!listed.isEmpty() && !listed.contains(unit)) {
            return unit
                    + " is not among the units that this node leaves to its agent: add it to the"
                    + " agent's --set units=…, or leave the node out.";
        }
        if (!launch.arguments().isEmpty()
                || !launch.environment().isEmpty()
                || !launch.user().isEmpty()) {
            return "Under systemd the unit file says arguments, environment and user: leave them"
                    + " out of the profile.";
        }
        if (launch.stop().signal().isPresent()) {
            return "Under systemd the unit file names the signal of a stop: set KillSignal="
                    + launch.stop().signalOrDefault().longName()
                    + " there and leave stop.signal out of the profile.";
        }
        return "";
    }

    /**
     * Whether an upgrade of this unit may write a file among the machine's unit files: its own and
     * its drop-ins. Any other would be a program of root's that nobody on the node has allowed.
     */
    static String findRefusal(UnitName unit, Path directory, Path file) {
        if (!file.startsWith(directory)) {
            return "";
        }
        Path inside = directory.relativize(file);
        String first = inside.getName(0).toString();
        boolean own =
                switch (inside.getNameCount()) {
                    case 1 -> unitFileNames(unit).contains(first);
                    case 2 -> unitFileNames(unit).stream().anyMatch(it -> first.equals(it + ".d"));
                    default -> false;
                };
        return own && !file.endsWith(StartGate.FILE)
                ? ""
                : file
                        + " is not a file of "
                        + unit
                        + ": among the unit files an upgrade writes its own unit's alone.";
    }

    /** Its own file, and for an instance that of its template. */
    private static Set<String> unitFileNames(UnitName unit) {
        int at = unit.value().indexOf('@');
        return at < 0
                ? Set.of(unit.value())
                : Set.of(unit.value(), unit.value().substring(0, at + 1) + ".service");
    }

    /** Whether it is a unit that can be stopped, started and proven to run. */
    static String findRefusal(UnitName unit, UnitProperties view) {
        if (!view.isLoaded()) {
            return unit
                    + " is "
                    + view.value("LoadState")
                    + " on this node: install its unit file, or leave the node out.";
        }
        if (!TYPES.contains(view.value("Type")) || view.value("RemainAfterExit").equals("yes")) {
            return unit
                    + " is of type "
                    + view.value("Type")
                    + (view.value("RemainAfterExit").equals("yes") ? " with RemainAfterExit" : "")
                    + ", which has no main process to prove: make it one of simple, exec, notify,"
                    + " notify-reload, forking.";
        }
        if (view.value("CanStart").equals("no") || view.value("CanStop").equals("no")) {
            return unit + " refuses to be started or stopped: allow it in its unit file.";
        }
        if (!view.value("TriggeredBy").isEmpty()) {
            return unit
                    + " is started by "
                    + view.value("TriggeredBy")
                    + ": only units that run all the time can be upgraded.";
        }
        return "";
    }

    /**
     * Whether a start of this unit executes the program's file. One that is interpreted is started
     * by another; one that is up proves by its process what it executes.
     *
     * @param file where the program's file is on this machine
     */
    static String findRefusal(UnitName unit, UnitProperties view, LaunchSpec launch, Path file) {
        String executes = view.executablePath();
        boolean other =
                !view.isUp()
                        && launch.identity() == ProgramDigestSource.EXE
                        && !executes.isEmpty()
                        && !executes.equals(file.toString());
        return other
                ? unit
                        + " starts "
                        + executes
                        + ", the profile's program is "
                        + file
                        + ": correct one of them."
                : "";
    }

    /**
     * Whether the agent has to start a unit because systemd will not: one whose start it owes, one
     * that failed, also where systemd has given up on it, and after a reboot one that is not
     * started with the machine. What ended well, or was stopped by somebody, is left alone.
     */
    static boolean needsStart(UnitIntentAndRun record, UnitProperties view, String bootId) {
        if (!view.isLoaded() || !view.isDown() || view.isUpOrStarting()) {
            return false;
        }
        return switch (record.intent()) {
            case DOWN -> false;
            case OWED -> true;
            case UP -> view.hasFailed() || !record.bootId().equals(bootId);
        };
    }

    /** Whether a unit that does not run is meant to: not one that somebody stopped. */
    static boolean isMeantToRun(UnitIntentAndRun record, UnitProperties view, String bootId) {
        return switch (record.intent()) {
            case DOWN -> false;
            case OWED -> true;
            case UP -> !view.isDown() || view.hasFailed() || !record.bootId().equals(bootId);
        };
    }

    private static boolean isAgentUnit(String unit) {
        return OWN.stream()
                .anyMatch(own -> unit.equals(own + ".service") || unit.startsWith(own + "@"));
    }
}
