package drover.cli;

import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The command line as a program of its own. */
public final class CliMain {
    private CliMain() {}

    /** Runs one command and ends with its exit code. */
    public static void main(String[] args) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        // A terminal is no place for a logging library's remarks about itself.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        Console console = Console.of(out, err, OutputTraits.detect());
        int exitCode = DroverCli.execute(DroverCli.commandLine(console), args);
        out.flush();
        err.flush();
        System.exit(exitCode);
    }
}
