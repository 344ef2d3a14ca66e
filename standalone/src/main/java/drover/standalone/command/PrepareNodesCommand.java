package drover.standalone.command;

import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.mtls.ServiceTransport;
import drover.kit.tls.InvalidTlsFiles;
import drover.localenv.DataDirectory;
import drover.localenv.DirectoryLock;
import drover.localenv.UserFacingError;
import drover.model.NodeId;
import drover.standalone.RegisteringNodeProvisioner;
import drover.standalone.RegisteringNodeProvisioner.Outcome;
import drover.standalone.RegisteringNodeProvisioner.ProvisioningOutcomes;
import drover.standalone.demo.DemoConfigFiles;
import drover.standalone.fleet.ManifestAndGatewayClient;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.fleet.PortSavingFleetPlanner;
import drover.trust.identity.ServiceName;
import drover.trust.identity.TrustDomain;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code drover prepare}: what {@code up} does for its nodes before it starts them, with services
 * that run as programs of their own. The nodes' agents are then started one by one.
 */
@Command(
        name = "prepare",
        description =
                "Registers nodes with services that run elsewhere, and lays them out for agents of"
                        + " their own.")
public final class PrepareNodesCommand extends StandaloneCommandBase {
    @Mixin private DataDirectoryOption data = new DataDirectoryOption();

    @Option(
            names = "--config",
            paramLabel = "DIR",
            description =
                    "The manifest-service's configuration directory (default: a demo configuration"
                            + " in the data directory).")
    private @Nullable Path config; // null when not given

    @Mixin private NodeCountOption nodes = new NodeCountOption();

    @Option(
            names = "--manifests",
            paramLabel = "HOST:PORT",
            required = true,
            description = "Where the manifest-service is.")
    private String manifests = "";

    @Option(
            names = "--gateway",
            paramLabel = "HOST:PORT",
            required = true,
            description = "The internal door of a gateway.")
    private String gateway = "";

    @Option(
            names = "--certificates",
            description =
                    "The nodes show certificates: each is registered without a token, and one that"
                            + " it had is over.")
    private boolean certificates;

    @Option(
            names = "--service-tls",
            paramLabel = "DIR",
            description =
                    "Its own chain.pem, key.pem and trust.pem, where services show certificates to"
                            + " each other.")
    private @Nullable Path serviceTls; // null when they do not

    @Option(
            names = "--trust-domain",
            paramLabel = "NAME",
            description = "With --service-tls: the name of the mesh in every certificate.")
    private @Nullable String trustDomain; // null when not given

    @Override
    int run() {
        DataDirectory directory = data.directory();
        try (ServiceTransport edges = serviceConnections()) {
            ManagedChannel toManifests =
                    openChannel("--manifests", manifests, edges.channelsTo(ServiceName.MANIFEST));
            ManagedChannel toGateway =
                    openChannel("--gateway", gateway, edges.channelsTo(ServiceName.GATEWAY));
            DirectoryLock lock = directory.createAndLock(); // no `up` meanwhile
            try {
                prepare(directory, new ManifestAndGatewayClient(toManifests, toGateway));
                return DONE;
            } finally {
                lock.close();
                toManifests.shutdownNow();
                toGateway.shutdownNow();
            }
        }
    }

    private ServiceTransport serviceConnections() {
        if (serviceTls == null && trustDomain != null) {
            throw new UserFacingError(ServiceTransport.DOMAIN_WITHOUT_TLS);
        }
        if (serviceTls == null) {
            return ServiceTransport.plaintext(ServiceName.PREPARE);
        }
        if (trustDomain == null) {
            throw new UserFacingError("--service-tls needs --trust-domain, the mesh's own name.");
        }
        try {
            return ServiceTransport.mutualTls(
                    ServiceName.PREPARE, new TrustDomain(trustDomain), serviceTls);
        } catch (IllegalArgumentException | InvalidTlsFiles e) {
            throw new UserFacingError("--service-tls: " + e.getMessage(), e);
        }
    }

    private void prepare(DataDirectory directory, ManifestAndGatewayClient services) {
        Path configuration =
                DemoConfigFiles.resolveOrWriteConfig(
                        Optional.ofNullable(config), directory.config());
        List<PlannedNode> planned =
                PortSavingFleetPlanner.planAndSavePorts(
                        directory, configuration, nodes.count(), services.listValidProfiles());
        RegisteringNodeProvisioner preparation =
                certificates
                        ? RegisteringNodeProvisioner.withCertificates(directory, services)
                        : RegisteringNodeProvisioner.forExternalServices(directory, services);
        ProvisioningOutcomes prepared = preparation.provision(planned);
        for (Outcome outcome : prepared.outcomes()) {
            switch (outcome) {
                case Outcome.Ready(NodeId node, _) ->
                        print(node + " is ready in " + directory.node(node).path() + ".");
                case Outcome.Retired(NodeId node) ->
                        print(
                                node
                                        + " is retired and stays so; to have it back, enroll its machine.");
                case Outcome.Failed _ -> {} // told of at the end
            }
        }
        prepared.missingProgramNotices().forEach(this::print);
        prepared.requireAllReady();
    }

    private static ManagedChannel openChannel(
            String option, String address, ChannelFactory channels) {
        try {
            return channels.open(Address.parse(address));
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(option + ": " + e.getMessage(), e);
        }
    }
}
