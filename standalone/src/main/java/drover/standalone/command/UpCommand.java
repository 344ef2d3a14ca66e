package drover.standalone.command;

import drover.kit.log.Logging;
import drover.kit.text.ShellWord;
import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import drover.standalone.StandaloneConfig;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.StandaloneConfig.ApiAuthenticationSettings;
import drover.standalone.StandaloneConfig.CertificateNodePorts;
import drover.standalone.StandaloneConfig.IdentityProvider;
import drover.standalone.StandaloneDeployment;
import drover.standalone.fleet.PlannedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code drover up}: starts the mesh and stays until it is told to end. */
@Command(
        name = "up",
        description =
                "Starts the control plane and the nodes on this machine and stays until Ctrl-C is"
                        + " pressed twice.")
public final class UpCommand extends StandaloneCommandBase {
    @Mixin private DataDirectoryOption data = new DataDirectoryOption();

    @Option(
            names = "--config",
            paramLabel = "DIR",
            description =
                    "Configuration directory: chains/, upgrades/, templates/, nodes.yaml (default:"
                            + " a demo configuration in the data directory).")
    private @Nullable Path config; // null when not given

    @Mixin private NodeCountOption nodes = new NodeCountOption();

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            defaultValue = "8080",
            description = "REST, /readyz and /livez (default: 8080; 0 takes a free one).")
    private int httpPort;

    @Option(
            names = "--grpc-port",
            paramLabel = "PORT",
            defaultValue = "9090",
            description = "The operators' gRPC services (default: 9090; 0 takes a free one).")
    private int grpcPort;

    @Option(
            names = "--agent-port",
            paramLabel = "PORT",
            defaultValue = "9091",
            description = "Where agents dial (default: 9091; 0 takes a free one).")
    private int agentPort;

    @Option(
            names = "--tls-port",
            paramLabel = "PORT",
            description =
                    "Where enrolled agents dial, with certificates (default: the one after"
                            + " --agent-port; 0 takes a free one).")
    private @Nullable Integer nodePort; // null when not given

    @Option(
            names = "--enrol-port",
            paramLabel = "PORT",
            description =
                    "Where machines become nodes, by join tokens (default: two after --agent-port;"
                            + " 0 takes a free one).")
    private @Nullable Integer enrollPort; // null when not given

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            description =
                    "Metrics for Prometheus (default: 9464, or a free one when that is taken; 0"
                            + " takes a free one).")
    private @Nullable Integer metricsPort; // null when not given

    @Option(
            names = "--postgres",
            paramLabel = "URL",
            description =
                    "A PostgreSQL of yours, 15 or newer (default: one in the data directory).")
    private @Nullable String postgres; // null when not given

    @Option(
            names = "--grant",
            paramLabel = "ID=SCOPE,SCOPE",
            description =
                    "Also keeps a key of this id in the data directory, as ID.key; may be repeated.")
    private List<String> grants = List.of();

    @Option(
            names = "--insecure",
            description = "Asks callers for no key: whoever uses this machine may do everything.")
    private boolean insecure;

    @Option(
            names = "--jwt-issuer",
            paramLabel = "ISSUER",
            defaultValue = "",
            description = "Also takes JWT of this issuer (default: of nobody).")
    private String jwtIssuer = "";

    @Option(
            names = "--jwt-audience",
            paramLabel = "AUDIENCE",
            defaultValue = "drover",
            description = "Whom such tokens must be meant for (default: drover).")
    private String jwtAudience = "drover";

    @Option(
            names = "--jwt-keys",
            paramLabel = "FILE|URL",
            defaultValue = "",
            description = "The issuer's public keys, as a JWK set.")
    private String jwtKeys = "";

    @Option(
            names = "--keep",
            paramLabel = "DAYS",
            defaultValue = "400",
            description =
                    "How many days ended rollouts stay whole; what can be rolled back always stays"
                            + " (default: 400; 0 keeps everything for good).")
    private int keepDays;

    @Override
    int run() {
        if (keepDays < 0) {
            throw new UserFacingError(
                    "--keep takes whole days, such as 400; 0 keeps everything for good.");
        }
        StandaloneConfig wanted =
                new StandaloneConfig(
                        data.directory(),
                        Optional.ofNullable(config),
                        nodes.count(),
                        httpPort,
                        grpcPort,
                        agentPort,
                        Optional.ofNullable(postgres),
                        AgentTimings.USUAL,
                        metricsPort == null ? OptionalInt.empty() : OptionalInt.of(metricsPort),
                        new ApiAuthenticationSettings(insecure, grants, identityProvider()),
                        keepDays,
                        new CertificateNodePorts(
                                portOrDefault(nodePort, 1), portOrDefault(enrollPort, 2)));
        wanted.validateAccess(); // before the log makes the data directory
        wanted.requireFreePorts();
        logTo(wanted.data());
        // Asked to end while still starting, it waits for the start and then ends everything.
        ShutdownHook end = ShutdownHook.install(wanted.data(), this::print, () -> {});
        String alternative = DownCommand.keepProgramsHint(wanted.data());
        InterruptConfirmation.installIfTerminal(this::print, end::describeEffect, alternative);
        StandaloneDeployment standalone =
                end.startAndTrack(() -> StandaloneDeployment.start(wanted, this::print));
        printStarted(standalone, wanted);
        printExternalAgents(standalone, wanted.data());
        print("Ctrl-C, pressed twice, " + end.describeEffect().text() + ".");
        print(alternative);
        awaitStop();
        return DONE;
    }

    private int portOrDefault(@Nullable Integer requested, int steps) {
        return requested != null ? requested : agentPort == 0 ? 0 : agentPort + steps;
    }

    private Optional<IdentityProvider> identityProvider() {
        return jwtIssuer.isEmpty() && jwtKeys.isEmpty()
                ? Optional.empty()
                : Optional.of(new IdentityProvider(jwtIssuer, jwtAudience, jwtKeys));
    }

    /** Sends the log into the data directory: the terminal stays for what people need. */
    static void logTo(DataDirectory directory) {
        try {
            Files.createDirectories(directory.root());
        } catch (IOException e) {
            throw new UserFacingError(
                    "The data directory "
                            + directory.root()
                            + " cannot be made; name one that you may write to with --data.",
                    e);
        }
        try {
            Logging.start(
                    new Logging.LogOutput.File(directory.log()),
                    Logging.parseLevel(System.getenv()));
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(String.valueOf(e.getMessage()), e);
        }
    }

    private void printStarted(StandaloneDeployment standalone, StandaloneConfig wanted) {
        RunningDeployment deployment = standalone.deployment();
        String server =
                (deployment.grpcPort() == 9090
                                ? ""
                                : " --server 127.0.0.1:" + deployment.grpcPort())
                        + keyFileFlag(wanted.data());
        print("");
        print("Drover is up with " + deployment.nodes() + " nodes.");
        print(
                "  REST    http://127.0.0.1:"
                        + deployment.httpPort()
                        + "/api/v1/rollouts (also /readyz)");
        print("  gRPC    127.0.0.1:" + deployment.grpcPort());
        print("  agents  127.0.0.1:" + deployment.agentPort());
        print(
                "  nodes   127.0.0.1:%d with certificates (enroll at 127.0.0.1:%d)"
                        .formatted(
                                standalone.nodeEndpoints().certificatePort(),
                                standalone.nodeEndpoints().enrollmentPort()));
        print("  metrics http://127.0.0.1:" + standalone.metricsPort() + "/metrics");
        print("  data    " + wanted.data().root() + " (log: drover.log)");
        print("  config  " + wanted.config().orElseGet(wanted.data()::config));
        print("  key     " + (insecure ? "none is asked for" : wanted.data().adminKey()));
        print("");
        print("Next, from another terminal:");
        print("  ./drover node list" + server);
        print("  ./drover manifest list" + server);
        print("  ./drover rollout create --help");
        print("");
    }

    /** Commands look for keys in {@code .drover} by themselves. */
    private String keyFileFlag(DataDirectory directory) {
        boolean found = directory.root().equals(new DataDirectory(Path.of(".drover")).root());
        return insecure || found ? "" : " --key-file " + ShellWord.of(directory.root());
    }

    /** Nodes that {@code nodes.yaml} leaves to an agent of the operator's. */
    private void printExternalAgents(StandaloneDeployment standalone, DataDirectory data) {
        List<NodeDirectory> external =
                standalone.nodes().stream()
                        .filter(PlannedNode::externalAgent)
                        .map(node -> data.node(node.name()))
                        .toList();
        if (external.isEmpty()) {
            return;
        }
        print("The agents of these nodes are yours to run; until then they are offline:");
        for (NodeDirectory node : external) {
            print(
                    "  "
                            + node.name()
                            + ": "
                            + node.agentCommand(standalone.deployment().agentPort()));
        }
        print("");
    }

    static void awaitStop() {
        try {
            new CountDownLatch(1).await(); // the process ends by a signal alone
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
