package drover.system.failover;

import drover.gateway.NodeGateway;
import drover.gateway.NodeGatewayConfig;
import drover.kit.config.ServiceLauncher;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.kit.telemetry.MetricsAndReadinessServer;
import java.time.Duration;
import java.util.List;

/**
 * A gateway whose agents tell every second how they are: what may cost a heartbeat is known sooner
 * than with the usual five.
 */
public final class FastHeartbeatGatewayMain {
    static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static final List<SettingDefinition> SETTINGS =
            List.of(
                    SettingDefinition.required("postgres", "URL", "The database.").asSecret(),
                    SettingDefinition.required("id", "NAME", "Its own name."),
                    SettingDefinition.required("agent-listen", "HOST:PORT", "Where agents dial."),
                    SettingDefinition.required(
                            "internal-listen", "HOST:PORT", "Where services dial."),
                    MetricsAndReadinessServer.addressSetting(MetricsAndReadinessServer.OFF));

    private FastHeartbeatGatewayMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceLauncher.run("gateway", SETTINGS, arguments, FastHeartbeatGatewayMain::start);
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
                        new NodeGateway.Dependencies(database));
        return () -> {
            gateway.close();
            database.close();
        };
    }
}
