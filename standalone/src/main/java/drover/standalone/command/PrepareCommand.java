package drover.standalone.command;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.standalone.NodePreparation;
import drover.standalone.demo.DemoConfig;
import drover.standalone.fleet.FleetDoors;
import drover.standalone.fleet.FleetPlan;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.home.DataDirectory;
import drover.standalone.home.DirectoryLock;
import drover.standalone.home.Unusable;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
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
public final class PrepareCommand extends LocalCommand {
    @Mixin private DataOption data = new DataOption();

    @Option(
            names = "--config",
            paramLabel = "DIR",
            description =
                    "The manifest-service's configuration directory (default: a demo configuration"
                            + " in the data directory).")
    private @Nullable Path config; // null when not given

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description =
                    "Makes N nodes as the chain profile's standalone: block says (default: as"
                            + " many as before, else 3; not together with nodes.yaml).")
    private @Nullable Integer nodes; // null when not given

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

    @Override
    int run() {
        DataDirectory directory = data.directory();
        ManagedChannel toManifests = channel("--manifests", manifests);
        ManagedChannel toGateway = channel("--gateway", gateway);
        DirectoryLock lock = directory.occupy(); // no `up` meanwhile
        try {
            prepare(directory, new FleetDoors(toManifests, toGateway));
            return DONE;
        } finally {
            lock.close();
            toManifests.shutdownNow();
            toGateway.shutdownNow();
        }
    }

    private void prepare(DataDirectory directory, FleetDoors doors) {
        Path configuration =
                DemoConfig.unlessNamed(Optional.ofNullable(config), directory.config());
        OptionalInt count = nodes == null ? OptionalInt.empty() : OptionalInt.of(nodes);
        List<PlannedNode> planned =
                FleetPlan.make(directory, configuration, count, doors.profiles());
        NodePreparation.elsewhere(directory, doors).prepare(planned);
        for (PlannedNode node : planned) {
            say(node.name() + " is ready in " + directory.node(node.name()).path() + ".");
        }
    }

    private static ManagedChannel channel(String option, String address) {
        try {
            return Channels.to(Address.parse(address));
        } catch (IllegalArgumentException e) {
            throw new Unusable(option + ": " + e.getMessage(), e);
        }
    }
}
