package drover.cli.terminal;

import java.io.PrintWriter;
import java.time.Clock;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/**
 * Everything a command touches outside itself and the server.
 *
 * @param out results
 * @param err what went wrong
 * @param clock for "2m ago"; its zone is that of shown times
 * @param environment for a key that stands there
 */
public record Console(
        PrintWriter out,
        PrintWriter err,
        OutputTraits terminal,
        Clock clock,
        PollSleeper ticker,
        Map<String, String> environment) {
    public Console {
        environment = Map.copyOf(environment);
    }

    /** A console for plain text in real time. */
    public static Console of(PrintWriter out, PrintWriter err, OutputTraits terminal) {
        return new Console(
                out,
                err,
                terminal,
                Clock.system(ZoneId.systemDefault()),
                PollSleeper.realTime(),
                System.getenv());
    }

    public Style style() {
        return new Style(terminal.color());
    }

    public void printLine(String line) {
        out.println(line);
        out.flush();
    }

    public void printError(String line) {
        err.println(line);
        err.flush();
    }

    public void print(ConsoleTable table) {
        print(table.lines(style(), terminal.width()));
    }

    void print(List<String> lines) {
        lines.forEach(out::println);
        out.flush();
    }
}
