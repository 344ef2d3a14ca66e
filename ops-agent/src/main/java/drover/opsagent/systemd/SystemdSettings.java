package drover.opsagent.systemd;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the node itself says of its units; the control plane cannot widen it.
 *
 * @param units that the agent may touch; empty when all
 * @param directory of the machine's own unit files, where gates are put
 */
record SystemdSettings(Set<String> units, Path directory) {
    private static final String UNITS = "units";
    private static final String DIRECTORY = "unit-directory";

    SystemdSettings {
        units = Set.copyOf(units);
    }

    /**
     * Reads {@code units=a.service,b.service} and {@code unit-directory=DIR}.
     *
     * @throws IllegalArgumentException when a setting is not understood
     */
    static SystemdSettings of(Map<String, String> settings) {
        Set<String> units = new TreeSet<>();
        Path directory = StartGate.UNITS;
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            switch (setting.getKey()) {
                case UNITS -> units.addAll(units(setting.getValue()));
                case DIRECTORY -> directory = Path.of(setting.getValue()).toAbsolutePath();
                default ->
                        throw new IllegalArgumentException(
                                "The runtime systemd has no setting '"
                                        + setting.getKey()
                                        + "': it has units and unit-directory.");
            }
        }
        return new SystemdSettings(units, directory);
    }

    private static Set<String> units(String list) {
        Set<String> units = new TreeSet<>(Arrays.asList(list.split(",", -1)));
        for (String unit : units) {
            if (!UnitName.isPlain(unit)) {
                throw new IllegalArgumentException(
                        "--set units takes names as app.service,db.service: '"
                                + unit
                                + "' is none.");
            }
        }
        return units;
    }
}
