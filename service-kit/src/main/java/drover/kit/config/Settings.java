package drover.kit.config;

import drover.kit.text.NearestName;
import drover.kit.text.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a service is started with. The command line wins over the environment, that over the file
 * that {@code --config-file} names, and that over what holds otherwise. What nobody knows is an
 * error in each of them: a misspelt setting that is passed over is found out too late.
 */
public final class Settings {
    static final SettingDefinition FILE =
            SettingDefinition.of(
                    "config-file", "FILE", "A YAML file with settings by their names.", "");

    /** Variables that Kubernetes sets for a service of the same name, whatever that is. */
    private static final Pattern OF_KUBERNETES =
            Pattern.compile("SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|PORT(_[0-9]+_(TCP|UDP)(_[A-Z]+)?)?");

    private final List<SettingDefinition> known;
    private final Map<String, SourcedValue> values;

    /**
     * A value and who said it.
     *
     * @param source for people, such as {@code --listen}
     */
    record SourcedValue(String value, String source) {}

    private Settings(List<SettingDefinition> known, Map<String, SourcedValue> values) {
        this.known = known;
        this.values = values;
    }

    /**
     * Reads them.
     *
     * @param service its short name, such as {@code gateway}
     * @param own what the service can be told
     * @throws IllegalArgumentException with one sentence that names what is wrong and where
     */
    public static Settings read(
            String service,
            List<SettingDefinition> own,
            String[] arguments,
            Map<String, String> environment) {
        List<SettingDefinition> known = Stream.concat(own.stream(), Stream.of(FILE)).toList();
        Map<String, SourcedValue> here =
                new HashMap<>(readEnvironment(service, known, environment));
        here.putAll(parseArguments(known, arguments));
        SourcedValue file = here.get(FILE.name());
        Map<String, SourcedValue> all = new HashMap<>();
        if (file != null) {
            all.putAll(SettingsFile.read(Path.of(file.value()), own));
        }
        all.putAll(here);
        return new Settings(known, all);
    }

    private static Map<String, SourcedValue> readEnvironment(
            String service, List<SettingDefinition> known, Map<String, String> environment) {
        String prefix = SettingDefinition.environmentPrefix(service);
        List<String> variables = known.stream().map(it -> it.environmentVariable(service)).toList();
        for (String variable : environment.keySet()) {
            if (variable.startsWith(prefix)
                    && !variables.contains(variable)
                    && !OF_KUBERNETES.matcher(variable.substring(prefix.length())).matches()) {
                throw new IllegalArgumentException(
                        "The variable "
                                + variable
                                + " is no setting of the "
                                + service
                                + "."
                                + suggestion(variable, variables));
            }
        }
        Map<String, SourcedValue> values = new HashMap<>();
        for (SettingDefinition setting : known) {
            String value = environment.get(setting.environmentVariable(service));
            if (value != null && !value.isBlank()) {
                values.put(
                        setting.name(),
                        new SourcedValue(value, setting.environmentVariable(service)));
            }
        }
        return values;
    }

    private static Map<String, SourcedValue> parseArguments(
            List<SettingDefinition> known, String[] arguments) {
        List<String> flags = known.stream().map(SettingDefinition::flag).toList();
        Map<String, SourcedValue> values = new HashMap<>();
        for (int i = 0; i < arguments.length; i += 2) {
            String flag = arguments[i];
            if (!flags.contains(flag)) {
                throw new IllegalArgumentException(
                        "'" + flag + "' is not understood." + suggestion(flag, flags));
            }
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(flag + " needs a value.");
            }
            values.put(flag.substring(2), new SourcedValue(arguments[i + 1], flag));
        }
        return values;
    }

    /** What somebody probably meant, or everything there is. */
    static String suggestion(String written, List<String> known) {
        return NearestName.of(written, known)
                .map(near -> " Is " + near + " meant?")
                .orElse(" Known are: " + String.join(", ", known) + ".");
    }

    /**
     * The value of a setting, or what holds otherwise.
     *
     * @throws IllegalArgumentException with one sentence, when it must be given and is not
     */
    public String get(String name) {
        SettingDefinition setting = requireSetting(name);
        SourcedValue by = values.get(name);
        if (by != null && !by.value().isBlank()) {
            return by.value();
        }
        if (setting.defaultValue() == null) {
            throw new IllegalArgumentException(setting.flag() + " is missing.");
        }
        return setting.defaultValue();
    }

    /**
     * The value of a setting that counts something.
     *
     * @throws IllegalArgumentException with one sentence, when it is no whole number above zero
     */
    public int positiveInt(String name) {
        String value = get(name);
        try {
            int number = Integer.parseInt(value);
            if (number > 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // is said below
        }
        throw new IllegalArgumentException(
                requireSetting(name).flag() + " is '" + value + "': write a whole number above 0.");
    }

    /** Whether anybody said it. */
    public boolean isSet(String name) {
        return values.containsKey(requireSetting(name).name());
    }

    /** Names of settings that must be given and are not. */
    List<String> missingFlags() {
        return known.stream()
                .filter(setting -> setting.defaultValue() == null && !isSet(setting.name()))
                .map(SettingDefinition::flag)
                .toList();
    }

    /** Every setting with its value and who said it, one a line, for {@code --print-config}. */
    String formatTable() {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"SETTING", "VALUE", "FROM"});
        for (SettingDefinition setting : known) {
            rows.add(tableRow(setting));
        }
        return TextTable.of(rows);
    }

    private String[] tableRow(SettingDefinition setting) {
        SourcedValue by = values.get(setting.name());
        if (by == null) {
            String otherwise = setting.defaultValue();
            String value = otherwise == null ? "(missing)" : otherwise.isEmpty() ? "-" : otherwise;
            return new String[] {setting.name(), value, otherwise == null ? "-" : "default"};
        }
        return new String[] {
            setting.name(), setting.secret() ? "(hidden)" : by.value(), by.source()
        };
    }

    private SettingDefinition requireSetting(String name) {
        return known.stream()
                .filter(setting -> setting.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("There is no setting " + name));
    }
}
