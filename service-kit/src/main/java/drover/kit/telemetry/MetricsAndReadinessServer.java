package drover.kit.telemetry;

import drover.kit.config.SettingDefinition;
import drover.kit.grpc.Address;
import drover.kit.rest.HttpServer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a process shows its metrics: {@code /metrics} on a port of its own, beside {@code /livez}
 * and {@code /readyz}. Apart from operators' doors, so that it can stay on the machine while those
 * do not.
 */
public final class MetricsAndReadinessServer implements AutoCloseable {
    /** The flag of services that names the address. */
    public static final String FLAG = "metrics";

    /** Instead of an address: no door. */
    public static final String OFF = "off";

    /** The path. */
    public static final String PATH = "/metrics";

    /** Open connections: 32 of one source, which is an eighth. Scrapers and probes need one. */
    private static final int MAX_CONNECTIONS = 256;

    /** A scraper that comes back later connects again. */
    private static final Duration MAX_IDLE = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(MetricsAndReadinessServer.class);

    private final HttpServer host;

    private MetricsAndReadinessServer(HttpServer host) {
        this.host = host;
    }

    /**
     * Opens it.
     *
     * @param text asked for at every scrape
     * @throws drover.kit.grpc.PortInUse when another program has the port
     */
    public static MetricsAndReadinessServer open(Address.Tcp address, Supplier<String> text) {
        return open(address, text, List::of, List::of);
    }

    private static MetricsAndReadinessServer open(
            Address.Tcp address,
            Supplier<String> text,
            Supplier<List<String>> problems,
            Supplier<List<String>> notices) {
        HttpServer host =
                HttpServer.builder()
                        .maxConnections(MAX_CONNECTIONS)
                        .idleTimeout(MAX_IDLE)
                        .page(PATH, Metrics.CONTENT_TYPE, text)
                        .readyWhen(problems, notices)
                        .listen(address);
        LOG.info("Metrics are shown address={} port={}", address, host.port());
        return new MetricsAndReadinessServer(host);
    }

    /**
     * Opens what a flag says.
     *
     * @param address {@code host:port}, or {@value #OFF} for none
     * @param problems what keeps the service from working, for {@code /readyz}
     * @param notices what somebody should see to while it works, for the same page
     * @return ends it
     * @throws IllegalArgumentException when it is neither
     */
    public static AutoCloseable open(
            String address,
            Supplier<String> text,
            Supplier<List<String>> problems,
            Supplier<List<String>> notices) {
        if (address.equals(OFF)) {
            return () -> {};
        }
        if (!(Address.parse(address) instanceof Address.Tcp tcp)) {
            throw new IllegalArgumentException(
                    "--" + FLAG + " needs a port, host:port, or " + OFF + ".");
        }
        return open(tcp, text, problems, notices);
    }

    /** What a service is told about it. */
    public static SettingDefinition addressSetting(String otherwise) {
        return SettingDefinition.of(
                FLAG,
                "HOST:PORT",
                "Where /metrics, /livez and /readyz are shown, or " + OFF + ".",
                otherwise);
    }

    /** The port it listens on. */
    public int port() {
        return host.port();
    }

    @Override
    public void close() {
        host.close();
    }
}
