package drover.opsagent.systemd;

import drover.opsagent.disk.DurableFiles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the node itself says of its units; the control plane cannot widen it.
 *
 * @param units that the agent may touch; empty when all
 * @param directory of the machine's own unit files, where gates are put
 * @param marks where the marks of gates are that the machine's owner has put up; absent when the
 *     agent puts them up itself
 */
record AllowedUnitsAndGateDirectories(Set<String> units, Path directory, @Nullable Path marks) {
    private static final String UNITS = "units";
    private static final String DIRECTORY = "unit-directory";
    private static final String MARKS = "gate-marks";

    AllowedUnitsAndGateDirectories {
        units = Set.copyOf(units);
    }

    /**
     * Reads {@code units=a.service,b.service}, {@code unit-directory=DIR} and {@code
     * gate-marks=DIR}.
     *
     * @throws IllegalArgumentException when a setting is not understood
     */
    static AllowedUnitsAndGateDirectories parse(Map<String, String> settings) {
        Set<String> units = new TreeSet<>();
        Path directory = StartGate.UNITS;
        @Nullable Path marks = null;
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            switch (setting.getKey()) {
                case UNITS -> units.addAll(parseUnits(setting.getValue()));
                case DIRECTORY -> directory = Path.of(setting.getValue()).toAbsolutePath();
                case MARKS -> marks = Path.of(setting.getValue()).toAbsolutePath();
                default ->
                        throw new IllegalArgumentException(
                                "The runtime systemd has no setting '"
                                        + setting.getKey()
                                        + "': it has units, unit-directory and gate-marks.");
            }
        }
        return new AllowedUnitsAndGateDirectories(units, directory, marks);
    }

    /** The gate that these settings ask for. */
    StartGate createGate(DurableFiles files) {
        Path owners = marks;
        return owners == null
                ? new DropInGate(files, directory)
                : new StartBlockMarkerGate(files, directory, owners);
    }

    private static Set<String> parseUnits(String list) {
        Set<String> units = new TreeSet<>(Arrays.asList(list.split(",", -1)));
        for (String unit : units) {
            if (!UnitName.isValidServiceName(unit)) {
                throw new IllegalArgumentException(
                        "--set units takes names as app.service,db.service: '"
                                + unit
                                + "' is none.");
            }
        }
        return units;
    }
}
