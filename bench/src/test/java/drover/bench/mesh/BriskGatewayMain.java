package drover.bench.mesh;

import drover.gateway.NodeGateway;
import drover.gateway.NodeGatewayConfig;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.kit.start.Launch;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.MetricsDoor;
import java.time.Duration;
import java.util.List;

/**
 * A gateway whose agents tell every second how they are: what may cost a heartbeat is known sooner
 * than with the usual five.
 */
public final class BriskGatewayMain {
    static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static final List<Setting> SETTINGS =
            List.of(
                    Setting.needed("postgres", "URL", "The database.").hidden(),
                    Setting.needed("id", "NAME", "Its own name."),
                    Setting.needed("agent-listen", "HOST:PORT", "Where agents dial."),
                    Setting.needed("internal-listen", "HOST:PORT", "Where services dial."),
                    MetricsDoor.setting(MetricsDoor.OFF));

    private BriskGatewayMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        Launch.service("gateway", SETTINGS, arguments, BriskGatewayMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        ConnectionPool database =
                ConnectionPool.open(settings.get("postgres"), "drover-gateway", 2);
        NodeGateway gateway =
                NodeGateway.start(
                        new NodeGatewayConfig(
                                settings.get("id"),
                                Address.parse(settings.get("agent-listen")),
                                Address.parse(settings.get("internal-listen")),
                                "",
                                HEARTBEAT,
                                HEARTBEAT),
                        new NodeGateway.Parts(database));
        return () -> {
            gateway.close();
            database.close();
        };
    }
}
