package drover.opsagent.runtime;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;

/**
 * End of a program's run, as a clause of a sentence: its exit code or signal, and the last line
 * that the run printed.
 */
public final class ExitDescriber {
    private static final int SIGNALED = 128; // shells and the JDK add the signal to it
    private static final int HIGHEST_SIGNAL = 64;
    private static final int LONGEST_LINE = 300; // characters; a sentence has at most 1,000

    private static final Map<Integer, String> SIGNALS =
            Map.ofEntries(
                    Map.entry(1, "SIGHUP"),
                    Map.entry(2, "SIGINT"),
                    Map.entry(3, "SIGQUIT"),
                    Map.entry(4, "SIGILL"),
                    Map.entry(6, "SIGABRT"),
                    Map.entry(7, "SIGBUS"),
                    Map.entry(8, "SIGFPE"),
                    Map.entry(9, "SIGKILL"),
                    Map.entry(11, "SIGSEGV"),
                    Map.entry(13, "SIGPIPE"),
                    Map.entry(15, "SIGTERM"));

    /** What to do about a program that does not stay up, as the end of a sentence. */
    public static final String ADVICE = ": correct the cause.";

    private ExitDescriber() {}

    /**
     * Describes an end, for example {@code with exit code 3 (last line: "unknown key prot")}.
     *
     * @param exitCode 128 plus the signal for a process that a signal ended; empty if not known
     * @param output end of what the run printed
     */
    public static String describe(OptionalInt exitCode, String output) {
        return describeExitCode(exitCode) + " (" + describeLastLine(output) + ")";
    }

    /**
     * Describes the end of an earlier run of which the journal has no failure. systemd logs only
     * those, so that an exit code of 0 is likely and not proven.
     */
    public static String describeWithoutLoggedFailure(String output) {
        return "with no failure in the journal, as after exit code 0 ("
                + describeLastLine(output)
                + ")";
    }

    /** Describes the last line of an output, for example {@code last line: "unknown key"}. */
    public static String describeLastLine(String output) {
        String line = lastNonBlankLine(output);
        return line.isEmpty() ? "it printed nothing" : "last line: \"" + line + "\"";
    }

    /**
     * Describes a stop that had to kill the program, as a sentence.
     *
     * @param grace time from the signal until it was killed
     */
    public static String describeKill(String name, Duration grace, String signal) {
        return describeKill(name, Math.round(grace.toMillis() / 1000.0) + " s", signal);
    }

    /** The same for a time in words. */
    public static String describeKill(String name, String grace, String signal) {
        return name + " did not end within " + grace + " of " + signal + " and was killed.";
    }

    /** Name of a signal, for example {@code SIGTERM}. */
    public static String signalName(int signal) {
        return SIGNALS.getOrDefault(signal, "signal " + signal);
    }

    private static String describeExitCode(OptionalInt exitCode) {
        if (exitCode.isEmpty()) {
            return "with an unknown exit code";
        }
        int code = exitCode.getAsInt();
        int signal = code - SIGNALED;
        if (signal <= 0 || signal > HIGHEST_SIGNAL) {
            return "with exit code " + code;
        }
        return "by " + signalName(signal);
    }

    /** The last line that is not blank, without control characters. */
    private static String lastNonBlankLine(String output) {
        String line =
                output.lines()
                        .map(ExitDescriber::printable)
                        .filter(text -> !text.isBlank())
                        .reduce("", (_, later) -> later)
                        .strip();
        return line.length() <= LONGEST_LINE ? line : line.substring(0, LONGEST_LINE) + "…";
    }

    private static String printable(String line) {
        StringBuilder printable = new StringBuilder(line);
        for (int i = 0; i < line.length(); i++) {
            if (Character.isISOControl(line.charAt(i))) {
                printable.setCharAt(i, ' ');
            }
        }
        return printable.toString();
    }
}
