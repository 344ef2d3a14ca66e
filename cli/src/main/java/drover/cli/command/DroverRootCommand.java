package drover.cli.command;

import com.google.protobuf.Message;
import drover.cli.client.ClientApiKeys;
import drover.cli.client.DroverClient;
import drover.cli.client.ServerAddress;
import drover.cli.terminal.Console;
import drover.cli.terminal.MessageJson;
import drover.cli.terminal.PollSleeper;
import drover.cli.terminal.ShellQuoter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The command {@code drover}: options and output that all its commands share. */
@Command(
        name = "drover",
        description = "Upgrades the software on running nodes in place.",
        synopsisSubcommandLabel = "COMMAND")
public final class DroverRootCommand extends SubcommandGroup {
    /** How results are written. */
    enum OutputFormat {
        TABLE,
        JSON;

        /** As it is typed. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a command does with the server. */
    public interface ServerAction {
        int execute(DroverClient server);
    }

    private static final String DEFAULT_SERVER = "127.0.0.1:9090";

    private final Console console;

    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            defaultValue = "${env:DROVER_SERVER:-" + DEFAULT_SERVER + "}",
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
                            + " the key in $DROVER_KEY, else the file in $DROVER_KEY_FILE, else .drover).")
    private String keyFile = "";

    @Option(
            names = "--output",
            paramLabel = "table|json",
            scope = ScopeType.INHERIT,
            defaultValue = "table",
            description = "How results are written (default: table).")
    private OutputFormat output = OutputFormat.TABLE;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Explains a command.")
    boolean help; // read by the parser, which prints the usage and runs nothing

    /** The root command, writing to this console. */
    public DroverRootCommand(Console console) {
        this.console = console;
    }

    public Console console() {
        return console;
    }

    /** The server's address as given. */
    public String server() {
        return server;
    }

    /**
     * A command for the operator to copy, with the options that this one needed to reach the
     * server.
     */
    public String withConnectionOptions(String command) {
        return command
                + optionUnlessDefault("--server", server, "DROVER_SERVER", DEFAULT_SERVER)
                + optionUnlessDefault("--ca", ca, "DROVER_CA", "")
                + optionUnlessDefault("--key-file", keyFile, "", "");
    }

    /**
     * Reports on Ctrl-C that watching does not control what is watched.
     *
     * @param group commands for it, {@code rollout} or {@code group}
     */
    public PollSleeper.StopRegistration announceOnStop(String group, String id) {
        return console.ticker()
                .onStop(
                        () ->
                                console.printError(
                                        "Watching has stopped; the rollout continues. Pause it with"
                                                + " '"
                                                + withConnectionOptions(
                                                        "drover " + group + " pause " + id)
                                                + "'."));
    }

    private String optionUnlessDefault(
            String name, String value, String variable, String otherwise) {
        String known = console.environment().getOrDefault(variable, otherwise);
        return value.equals(known) ? "" : " " + name + " " + ShellQuoter.of(value);
    }

    public boolean wantsJson() {
        return output == OutputFormat.JSON;
    }

    /** Runs work against the server that was named. */
    public int withServer(ServerAction work) {
        try (DroverClient there =
                DroverClient.connect(
                        ServerAddress.parse(server, ca),
                        ClientApiKeys.find(keyFile, server, console.environment()))) {
            return work.execute(there);
        }
    }

    /** Prints a message as JSON where that is wanted; true when it did. */
    public boolean printIfJson(Message message) {
        if (wantsJson()) {
            console.printLine(MessageJson.write(message, true));
        }
        return wantsJson();
    }
}
