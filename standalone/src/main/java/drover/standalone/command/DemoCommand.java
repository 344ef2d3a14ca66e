package drover.standalone.command;

import drover.cli.terminal.OutputTraits;
import drover.kit.text.ShellWord;
import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequestFile;
import drover.localenv.LocalOperatorChannel;
import drover.localenv.UserFacingError;
import drover.standalone.StandaloneConfig;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneDeployment;
import drover.standalone.command.InterruptConfirmation.Effect;
import drover.standalone.demo.DemoOnRunningDeployment;
import drover.standalone.fleet.PlannedNode;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code drover demo}: a temporary deployment, a good rollout, a bad one, and a rollback. */
@Command(
        name = "demo",
        description = "Shows a good rollout, a bad one that stops by itself, and the way back.")
public final class DemoCommand extends StandaloneCommandBase {
    private static final int FEWEST = 2; // a canary and somebody to protect

    @Option(
            names = "--nodes",
            paramLabel = "N",
            defaultValue = "12",
            description = "How many nodes (default: 12).")
    private int nodes;

    @Option(names = "--keep", description = "Stays up afterwards, until Ctrl-C is pressed twice.")
    private boolean keep;

    @Override
    int run() {
        if (nodes < FEWEST) {
            throw new UserFacingError(
                    "--nodes takes at least 2 for the demo: a canary and another node.");
        }
        DataDirectory data = new DataDirectory(createTempDirectory());
        UpCommand.logTo(data);
        ShutdownHook end =
                ShutdownHook.install(data, this::print, () -> deleteUnlessProgramsRun(data));
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data,
                        Optional.empty(),
                        OptionalInt.of(nodes),
                        0,
                        0,
                        0,
                        Optional.empty(),
                        AgentTimings.DEMO);
        print("== A deployment of " + nodes + " nodes, each with a separate real program");
        StandaloneDeployment standalone =
                end.startAndTrack(
                        () -> StandaloneDeployment.start(wanted, step -> print("   " + step)));
        int result = runDemo(standalone, data);
        if (keep) {
            printHints(standalone, data);
            InterruptConfirmation.installIfTerminal(
                    this::print,
                    () -> withDeletion(end.describeEffect(), data),
                    DownCommand.keepProgramsHint(data));
            UpCommand.awaitStop();
        }
        return result;
    }

    private int runDemo(StandaloneDeployment standalone, DataDirectory data) {
        Map<String, Integer> ports = new TreeMap<>();
        for (PlannedNode node : standalone.nodes()) {
            ports.put(
                    node.name().value(),
                    Integer.parseInt(node.labels().getOrDefault("var.port", "0")));
        }
        ManagedChannel server = LocalOperatorChannel.connect(standalone.deployment(), data);
        try {
            return DemoOnRunningDeployment.run(
                            server,
                            standalone.deployment().httpPort(),
                            data,
                            ports,
                            out(),
                            OutputTraits.detect())
                    ? DONE
                    : FAILED;
        } catch (UserFacingError e) {
            if (!keep) {
                throw e;
            }
            printError(e.message());
            return FAILED;
        } finally {
            server.shutdownNow();
        }
    }

    private void printHints(StandaloneDeployment standalone, DataDirectory data) {
        String server =
                " --server 127.0.0.1:"
                        + standalone.deployment().grpcPort()
                        + " --key-file "
                        + ShellWord.of(data.root());
        print("");
        print("It stays up until Ctrl-C is pressed twice. From another terminal:");
        print("  ./drover rollout list" + server);
        print("  ./drover node list" + server);
        print(
                "  curl -H \"authorization: Bearer $(cat "
                        + ShellWord.of(data.adminKey())
                        + ")\" http://127.0.0.1:"
                        + standalone.deployment().httpPort()
                        + "/api/v1/rollouts");
        print("Its data, and its log, are in " + data.root() + ".");
    }

    private static Path createTempDirectory() {
        try {
            return Files.createTempDirectory("drover-demo-");
        } catch (IOException e) {
            throw new UserFacingError(
                    "No temporary directory can be made; make room there, or set TMPDIR.", e);
        }
    }

    private static Effect withDeletion(Effect effect, DataDirectory data) {
        return KeepProgramsRequestFile.isForThisProcess(data)
                ? effect
                : new Effect(effect.extent(), effect.text() + " and deletes " + data.root());
    }

    private static void deleteUnlessProgramsRun(DataDirectory data) {
        if (!KeepProgramsRequestFile.isForThisProcess(data)) {
            delete(data.root());
        }
    }

    private static void delete(Path tree) {
        try (Stream<Path> entries = Files.walk(tree)) {
            for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(entry);
            }
        } catch (IOException e) {
            throw new UserFacingError(tree + " could not be deleted; delete it by hand.", e);
        }
    }
}
