package drover.cli;

import com.google.protobuf.Message;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command {@code drover}: what all commands share. {@link #commandLine} gives it with the
 * operator's commands; a larger program adds its own to that before it runs it.
 *
 * <p>Exit codes: 0 done, 1 refused or ended badly, 2 not understood, 3 no server.
 */
@Command(
        name = "drover",
        description = "Upgrades the software on running nodes in place.",
        synopsisSubcommandLabel = "COMMAND")
public final class DroverCommand extends Group {
    /** How results are written. */
    enum Output {
        TABLE,
        JSON;

        /** As it is typed. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a command does with the server. */
    interface Work {
        int with(Server server);
    }

    private final Console console;

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            defaultValue = "${env:DROVER_SERVER:-127.0.0.1:9090}",
            description =
                    "Where Drover answers; with https:// before it, over TLS (default:"
                            + " $DROVER_SERVER, else 127.0.0.1:9090).")
    private String server = "";

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            defaultValue = "${env:DROVER_CA:-}",
            description =
                    "The authority that the server's certificate leads to; speaks TLS (default:"
                            + " $DROVER_CA, else for https:// those that this machine trusts).")
    private String ca = "";

    @Option(
            names = "--key-file",
            paramLabel = "FILE|DIR",
            scope = ScopeType.INHERIT,
            defaultValue = "",
            description =
                    "A file with a key, or a directory with admin.key and approver.key (default:"
                            + " the key in $DROVER_KEY, else .drover).")
    private String keyFile = "";

    @Option(
            names = "--output",
            paramLabel = "table|json",
            scope = ScopeType.INHERIT,
            defaultValue = "table",
            description = "How results are written (default: table).")
    private Output output = Output.TABLE;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Explains a command.")
    boolean help; // read by the parser, which prints the usage and runs nothing

    private DroverCommand(Console console) {
        this.console = console;
    }

    /** The command line with every operator's command, ready for more subcommands. */
    public static CommandLine commandLine(Console console) {
        DroverCommand drover = new DroverCommand(console);
        CommandLine line =
                new CommandLine(drover)
                        .addSubcommand("rollout", rollouts(drover))
                        .addSubcommand("group", groups(drover))
                        .addSubcommand("node", new NodeCommands(drover))
                        .addSubcommand("incident", new IncidentCommands(drover))
                        .addSubcommand("manifest", new ManifestCommands(drover))
                        .addSubcommand("events", new EventCommands(drover))
                        .addSubcommand("key", new KeyCommands(drover))
                        .addSubcommand("token", new TokenCommands(drover))
                        .addSubcommand("audit", new AuditCommands(drover));
        return line.setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setOut(console.out())
                .setErr(console.err())
                .setParameterExceptionHandler((e, args) -> misunderstood(e, console))
                .setExecutionExceptionHandler(
                        (e, at, parsed) ->
                                Failures.report(
                                        e, console, drover.server, kind(parsed), subject(parsed)));
    }

    /** Runs one command and answers with its exit code. */
    public static int run(String[] args, PrintWriter out, PrintWriter err) {
        return commandLine(Console.of(out, err, Terminal.PLAIN)).execute(args);
    }

    Console console() {
        return console;
    }

    boolean wantsJson() {
        return output == Output.JSON;
    }

    /** Runs work against the server that was named. */
    int withServer(Work work) {
        try (Server there =
                Server.at(
                        ServerAddress.parse(server, ca),
                        KeyRing.find(keyFile, server, console.environment()))) {
            return work.with(there);
        }
    }

    /** Prints a message as JSON where that is wanted; true when it did. */
    boolean printedAsJson(Message message) {
        if (wantsJson()) {
            console.say(MessageJson.write(message, true));
        }
        return wantsJson();
    }

    private static CommandLine groups(DroverCommand drover) {
        CommandLine line =
                new CommandLine(new GroupCommands(drover))
                        .addSubcommand(new GroupCreate(drover))
                        .addSubcommand(new GroupWatch(drover));
        GroupSteering.addTo(line, drover);
        return line;
    }

    private static CommandLine rollouts(DroverCommand drover) {
        CommandLine line =
                new CommandLine(new RolloutCommands(drover))
                        .addSubcommand(new RolloutCreate(drover))
                        .addSubcommand(new RolloutPlanning(drover))
                        .addSubcommand(new RolloutPreflight(drover))
                        .addSubcommand(new RolloutWatch(drover));
        RolloutSteering.addTo(line, drover);
        RolloutSteering.addHolds(line, drover);
        return line;
    }

    private static int misunderstood(ParameterException e, Console console) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        console.complain(
                e instanceof UnmatchedArgumentException unmatched
                        ? Suggestions.unknown(unmatched.getUnmatched().getFirst(), command)
                        : Suggestions.sentence(String.valueOf(e.getMessage())));
        console.complain("Try '" + command.qualifiedName() + " --help'.");
        return CommandFailed.USAGE;
    }

    /** What the command was about, for hints: its group of commands. */
    private static String kind(ParseResult parsed) {
        return parsed.hasSubcommand() ? parsed.subcommand().commandSpec().name() : "";
    }

    /** The first id that the command was given, for hints. */
    private static String subject(ParseResult parsed) {
        ParseResult deepest = parsed;
        while (deepest.hasSubcommand()) {
            deepest = deepest.subcommand();
        }
        return deepest.matchedPositionals().isEmpty()
                ? ""
                : deepest.matchedPositionals().getFirst().stringValues().getFirst();
    }
}
