package drover.kit.telemetry;

import drover.kit.grpc.Address;
import drover.kit.http.HttpHost;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a process shows its metrics: {@code /metrics} on a port of its own, beside {@code /livez}.
 * Apart from operators' doors, so that it can stay on the machine while those do not.
 */
public final class MetricsDoor implements AutoCloseable {
    /** The flag of services that names the address. */
    public static final String FLAG = "metrics";

    /** Instead of an address: no door. */
    public static final String OFF = "off";

    /** The path. */
    public static final String PATH = "/metrics";

    private static final Logger LOG = LoggerFactory.getLogger(MetricsDoor.class);

    private final HttpHost host;

    private MetricsDoor(HttpHost host) {
        this.host = host;
    }

    /**
     * Opens it.
     *
     * @param text asked for at every scrape
     * @throws drover.kit.grpc.PortTaken when another program has the port
     */
    public static MetricsDoor open(Address.Tcp address, Supplier<String> text) {
        HttpHost host = HttpHost.plan().page(PATH, Metrics.CONTENT_TYPE, text).listen(address);
        LOG.info("Metrics are shown address={} port={}", address, host.port());
        return new MetricsDoor(host);
    }

    /**
     * Opens what a flag says.
     *
     * @param address {@code host:port}, or {@value #OFF} for none
     * @return ends it
     * @throws IllegalArgumentException when it is neither
     */
    public static AutoCloseable open(String address, Supplier<String> text) {
        if (address.equals(OFF)) {
            return () -> {};
        }
        if (!(Address.parse(address) instanceof Address.Tcp tcp)) {
            throw new IllegalArgumentException(
                    "--" + FLAG + " needs a port, host:port, or " + OFF + ".");
        }
        return open(tcp, text);
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
