package drover.cli.terminal;

/** One word of a shell command that an operator copies from Drover's output. */
public final class ShellQuoter {
    private ShellQuoter() {}

    /** The text as one word of a POSIX shell, in single quotes only if it needs them. */
    public static String of(Object text) {
        String word = text.toString();
        return word.matches("[\\p{L}\\p{M}\\p{N}_./:@%+=,-]+")
                ? word
                : "'" + word.replace("'", "'\\''") + "'";
    }
}
