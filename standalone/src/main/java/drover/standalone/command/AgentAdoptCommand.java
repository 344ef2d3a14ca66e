package drover.standalone.command;

import drover.opsagent.main.AdoptCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code drover agent adopt}: takes in a program that runs on this machine already. */
@Command(
        name = "adopt",
        description = "Takes in a program that runs on this machine already, without touching it.")
public final class AgentAdoptCommand extends StandaloneCommandBase {
    @Mixin private ChainProgramOptions chain = new ChainProgramOptions();

    @Option(
            names = "--state",
            paramLabel = "DIR",
            required = true,
            description = "The agent's own directory; all that is written is written there.")
    private String state = "";

    @Option(
            names = "--root",
            paramLabel = "DIR",
            required = true,
            description = "Under which the node's files lie; / needs --policy.")
    private String root = "";

    @Option(
            names = "--runtime",
            paramLabel = "NAME",
            description =
                    "What runs the program: systemd, docker or process, or one of --runtimes"
                            + " (default: process).")
    private String runtime = "process";

    @Option(
            names = "--version",
            paramLabel = "VERSION",
            description = "What the version that runs is called; else the manifests tell.")
    private @Nullable String version; // null when not given

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "Where that version can be got again.")
    private @Nullable String url; // null when not given

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "What the agent may touch, as its own flag.")
    private @Nullable String policy; // null when not given

    @Option(
            names = "--runtimes",
            paramLabel = "DIR",
            description = "Jars with further runtimes, as the agent's own flag.")
    private @Nullable String runtimes; // null when not given

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "A setting of the runtime, as the agent's own flag.")
    private Map<String, String> settings = new TreeMap<>();

    @Option(names = "--dry-run", description = "Shows what is found, and writes nothing.")
    private boolean dryRun;

    @Override
    int run() {
        ChainProgramOptions.SelectedProgram named = chain.readProgram();
        return AdoptCommand.run(flags(), named.program(), named.known(), out(), err());
    }

    private List<String> flags() {
        List<String> flags = new ArrayList<>();
        flags.addAll(List.of("--state", state, "--root", root, "--runtime", runtime));
        addFlagIfSet(flags, "--version", version);
        addFlagIfSet(flags, "--url", url);
        addFlagIfSet(flags, "--policy", policy);
        addFlagIfSet(flags, "--runtimes", runtimes);
        settings.forEach((key, value) -> flags.addAll(List.of("--set", key + "=" + value)));
        if (dryRun) {
            flags.add("--dry-run");
        }
        return flags;
    }

    private static void addFlagIfSet(List<String> flags, String flag, @Nullable String value) {
        if (value != null) {
            flags.addAll(List.of(flag, value));
        }
    }
}
