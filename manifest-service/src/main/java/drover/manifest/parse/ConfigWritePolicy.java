package drover.manifest.parse;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Who writes a configuration file of a chain profile after its first installation. */
public enum ConfigWritePolicy {
    /** Drover alone; a change by anything else is drift. */
    ALWAYS,
    /** The program alone; a manifest cannot change the file. */
    ONCE,
    /** Drover when a manifest changes the file, and the program at any time. */
    MERGE;

    /** The values as profiles have them. */
    static final List<String> KEYWORDS =
            Arrays.stream(values()).map(ConfigWritePolicy::keyword).toList();

    private String keyword() {
        return name().toLowerCase(Locale.ROOT);
    }

    static ConfigWritePolicy ofKeyword(String keyword) {
        return valueOf(keyword.toUpperCase(Locale.ROOT));
    }

    /** Whether a change by the program is expected. */
    public boolean mayProgramWrite() {
        return this != ALWAYS;
    }
}
