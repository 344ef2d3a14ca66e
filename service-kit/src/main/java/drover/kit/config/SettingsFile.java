package drover.kit.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** Reads the file of settings: a flat map of YAML, a line each. */
final class SettingsFile {
    private SettingsFile() {}

    /**
     * What it says.
     *
     * @throws IllegalArgumentException with one sentence, when it cannot be read or has anything
     *     else in it
     */
    static Map<String, Settings.SourcedValue> read(Path file, List<SettingDefinition> known) {
        if (!(parseYaml(file) instanceof Map<?, ?> whole)) {
            throw new IllegalArgumentException(
                    file + " holds no settings: write one a line, as in 'listen: 127.0.0.1:7443'.");
        }
        List<String> names = known.stream().map(SettingDefinition::name).toList();
        Map<String, Settings.SourcedValue> values = new HashMap<>();
        for (Map.Entry<?, ?> entry : whole.entrySet()) {
            String name = String.valueOf(entry.getKey());
            if (!names.contains(name)) {
                throw new IllegalArgumentException(
                        "'"
                                + name
                                + "' in "
                                + file
                                + " is no setting."
                                + Settings.suggestion(name, names));
            }
            values.put(
                    name,
                    new Settings.SourcedValue(
                            requireScalar(file, name, entry.getValue()), file.toString()));
        }
        return values;
    }

    private static @Nullable Object parseYaml(Path file) {
        try {
            return new Load(LoadSettings.builder().setLabel(file.toString()).build())
                    .loadFromString(Files.readString(file));
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "The file of settings " + file + " cannot be read: see whether it is there.",
                    e);
        } catch (YamlEngineException e) {
            String problem = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw new IllegalArgumentException(file + " is no YAML: " + problem + ".", e);
        }
    }

    private static String requireScalar(Path file, String name, @Nullable Object value) {
        return switch (value) {
            case String text -> text;
            case Number number -> number.toString();
            case Boolean yes -> yes.toString();
            case null, default ->
                    throw new IllegalArgumentException(
                            "'" + name + "' in " + file + " needs one value behind it.");
        };
    }
}
