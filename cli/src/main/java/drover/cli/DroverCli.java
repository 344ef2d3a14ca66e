package drover.cli;

import drover.cli.access.AuditCommands;
import drover.cli.access.KeyCommands;
import drover.cli.access.TokenCommands;
import drover.cli.command.DroverRootCommand;
import drover.cli.command.FailureReporter;
import drover.cli.command.TypoSuggestions;
import drover.cli.group.GroupCommands;
import drover.cli.group.GroupControlCommands;
import drover.cli.group.GroupCreateCommand;
import drover.cli.group.GroupWatchCommand;
import drover.cli.node.NodeCommands;
import drover.cli.rollout.RolloutCommands;
import drover.cli.rollout.RolloutControlCommands;
import drover.cli.rollout.RolloutCreateCommand;
import drover.cli.rollout.RolloutPlanCommand;
import drover.cli.rollout.RolloutPreflightCommand;
import drover.cli.rollout.RolloutWatchCommand;
import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line {@code drover}: builds the tree of commands and reports errors. {@link
 * #commandLine} contains the operator's commands; a larger program adds its own subcommands before
 * it runs them.
 *
 * <p>Exit codes: 0 done, 1 refused or failed, 2 usage error, 3 no server.
 */
public final class DroverCli {
    /** Java writes this character for bytes that it cannot decode. */
    private static final String UNDECODABLE = "\uFFFD";

    private DroverCli() {}

    /** The command line with every operator's command, ready for more subcommands. */
    public static CommandLine commandLine(Console console) {
        DroverRootCommand drover = new DroverRootCommand(console);
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
                .setParameterExceptionHandler((e, args) -> reportUsageError(e, console))
                .setExecutionExceptionHandler(
                        (e, at, parsed) -> FailureReporter.report(e, drover, parsed));
    }

    /** Runs one command and answers with its exit code. */
    public static int run(String[] args, PrintWriter out, PrintWriter err) {
        return execute(commandLine(Console.of(out, err, OutputTraits.PLAIN)), args);
    }

    /**
     * Runs one command, unless Java could not decode an argument: history would keep the damaged
     * text.
     *
     * @return the exit code
     */
    public static int execute(CommandLine line, String[] args) {
        for (String argument : args) {
            if (argument.contains(UNDECODABLE)) {
                line.getErr()
                        .println(
                                "The argument '"
                                        + argument.replace(UNDECODABLE, "?")
                                        + "' cannot be read in the encoding of this terminal ("
                                        + System.getProperty("sun.jnu.encoding")
                                        + "): set LC_ALL=C.UTF-8 and run the command again.");
                line.getErr().flush();
                return CommandFailed.USAGE;
            }
        }
        return line.execute(args);
    }

    private static CommandLine groups(DroverRootCommand drover) {
        CommandLine line =
                new CommandLine(new GroupCommands(drover))
                        .addSubcommand(new GroupCreateCommand(drover))
                        .addSubcommand(new GroupWatchCommand(drover));
        GroupControlCommands.addSubcommands(line, drover);
        return line;
    }

    private static CommandLine rollouts(DroverRootCommand drover) {
        CommandLine line =
                new CommandLine(new RolloutCommands(drover))
                        .addSubcommand(new RolloutCreateCommand(drover))
                        .addSubcommand(new RolloutPlanCommand(drover))
                        .addSubcommand(new RolloutPreflightCommand(drover))
                        .addSubcommand(new RolloutWatchCommand(drover));
        RolloutControlCommands.addSubcommands(line, drover);
        RolloutControlCommands.addHoldSubcommands(line, drover);
        return line;
    }

    private static int reportUsageError(ParameterException e, Console console) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        console.printError(
                e instanceof UnmatchedArgumentException unmatched
                        ? TypoSuggestions.describeUnknown(
                                unmatched.getUnmatched().getFirst(), command)
                        : TypoSuggestions.toSentence(String.valueOf(e.getMessage())));
        console.printError("Try '" + command.qualifiedName() + " --help'.");
        return CommandFailed.USAGE;
    }
}
