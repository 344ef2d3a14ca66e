package drover.bench;

import drover.kit.log.Logging;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code drover bench}: measures the mesh on this machine. */
@Command(
        name = "drover bench",
        description = "Measures the mesh on this machine, each figure beside its limit.",
        subcommands = {
            FleetBenchmark.class,
            RolloutWithIdleNodesBenchmark.class,
            CommandLatencyBenchmark.class,
            BareStreamBenchmark.class,
            MtlsStreamBenchmark.class,
            HandshakeBenchmark.class,
            BareSqlBenchmark.class,
            AgentBenchmark.class
        })
public final class Main {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Explains a command.")
    boolean help; // read by the parser, which prints the usage and runs nothing

    private Main() {}

    /** Runs one measurement. */
    public static void main(String[] arguments) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        Logging.startWarningsOnly();
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        return new CommandLine(new Main()).setOut(out);
    }
}
