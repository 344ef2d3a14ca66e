package drover.standalone.command;

import drover.cli.DroverCli;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import drover.kit.log.Logging;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine;

/** The program {@code drover}: the operator's commands and those of a mesh on this machine. */
public final class Main {
    private Main() {}

    /** Runs one command; the exit code says how it went (see {@link DroverCli}). */
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        Logging.startWarningsOnly(); // commands that start a mesh send the log into its data
        // directory
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        CommandLine drover = DroverCli.commandLine(Console.of(out, err, OutputTraits.detect()));
        System.exit(DroverCli.execute(LocalCommands.addTo(drover), arguments));
    }
}
