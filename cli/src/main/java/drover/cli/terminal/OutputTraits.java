package drover.cli.terminal;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What the output goes to.
 *
 * @param interactive whether a person looks at it, so that lines may be redrawn
 * @param color whether colours are wanted
 * @param width columns; {@link Integer#MAX_VALUE} for files and pipes, which cut nothing off
 */
public record OutputTraits(boolean interactive, boolean color, int width) {
    /** A file or a pipe: plain text, nothing cut off. */
    public static final OutputTraits PLAIN = new OutputTraits(false, false, Integer.MAX_VALUE);

    private static final int NARROWEST = 40; // below this nothing can be read anyway
    private static final int USUAL = 120;

    /** What this process writes to; colours unless {@code NO_COLOR} is set (no-color.org). */
    public static OutputTraits detect() {
        boolean terminal =
                Optional.ofNullable(System.console())
                        .filter(java.io.Console::isTerminal)
                        .isPresent();
        if (!terminal) {
            return PLAIN;
        }
        boolean dumb = "dumb".equals(System.getenv("TERM"));
        String noColor = System.getenv("NO_COLOR");
        return new OutputTraits(!dumb, !dumb && (noColor == null || noColor.isEmpty()), columns());
    }

    private static int columns() {
        String columns = System.getenv("COLUMNS");
        String text = columns == null ? readSttyColumns() : columns;
        return text.matches("[1-9][0-9]{0,3}")
                ? Math.max(NARROWEST, Integer.parseInt(text))
                : USUAL;
    }

    /** {@code stty size} answers "rows columns"; anything else means: not known. */
    private static String readSttyColumns() {
        File device = new File("/dev/tty");
        if (System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows")) {
            return "";
        }
        try {
            Process stty = new ProcessBuilder("stty", "size").redirectInput(device).start();
            String[] size =
                    new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                            .trim()
                            .split(" ", -1);
            return stty.waitFor(1, TimeUnit.SECONDS) && size.length == 2 ? size[1] : "";
        } catch (IOException e) {
            return ""; // no such program: the usual width will do
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
