package drover.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line {@code drover}: builds the tree of commands and reports errors. {@link
 * #commandLine} contains the operator's commands; a larger program adds its own subcommands before
 * it runs them.
 *
 * <p>Exit codes: 0 done, 1 refused or failed, 2 usage error, 3 no server.
 */
public final class DroverCli {
    private DroverCli() {}

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
                                        e,
                                        console,
                                        drover.server(),
                                        kind(parsed),
                                        subject(parsed)));
    }

    /** Runs one command and answers with its exit code. */
    public static int run(String[] args, PrintWriter out, PrintWriter err) {
        return commandLine(Console.of(out, err, Terminal.PLAIN)).execute(args);
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
