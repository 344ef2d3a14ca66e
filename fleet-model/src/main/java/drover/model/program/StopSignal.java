package drover.model.program;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Signal that asks a program to end. SIGKILL is none: it ends what has not ended in time. */
public enum StopSignal {
    /** SIGTERM, the default. */
    TERM,
    /** SIGINT, for example the fast shutdown of PostgreSQL. */
    INT,
    /** SIGQUIT, for example the graceful shutdown of nginx. */
    QUIT,
    /** SIGHUP. */
    HUP,
    /** SIGUSR1. */
    USR1,
    /** SIGUSR2. */
    USR2;

    private static final String PREFIX = "SIG";

    /**
     * The signal of this name, with or without {@code SIG}.
     *
     * @throws IllegalArgumentException with one sentence if there is none
     */
    public static StopSignal parse(String name) {
        String bare = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
        return Arrays.stream(values())
                .filter(signal -> signal.name().equals(bare))
                .findFirst()
                .orElseThrow(() -> unknown(name));
    }

    private static IllegalArgumentException unknown(String name) {
        String known = Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(", "));
        return new IllegalArgumentException(
                "'" + name + "' is not a signal for a stop: use one of " + known);
    }

    /** The name with {@code SIG}. */
    public String longName() {
        return PREFIX + name();
    }
}
