package drover.manifest.check;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What programs of a chain run on. */
public enum ProgramRuntime {
    /** The agent supervises the program itself. */
    PROCESS,
    /** Nothing runs; for tests and demonstrations. */
    SIMULATED,
    /** A systemd unit. */
    SYSTEMD,
    /** A container. */
    DOCKER;

    /** The name in files and messages, for example {@code systemd}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static List<String> words() {
        return Stream.of(values()).map(ProgramRuntime::word).toList();
    }

    static ProgramRuntime of(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
