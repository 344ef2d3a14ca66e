package drover.kit.grpc;

import java.net.InetAddress;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Limit of the open connections of one source, so that one source cannot use up all of an endpoint.
 *
 * @param maxConnections open connections of all sources
 * @param unlimited sources without this limit, such as loopback, where all callers are one source
 */
public record PerSourceConnectionLimit(int maxConnections, Predicate<InetAddress> unlimited) {
    /**
     * Eight sources use up an endpoint. An eighth is more than one needs: 128 of 1,024 connections
     * for the operators behind one proxy, 32 of 256 for the scrapers of one machine.
     */
    private static final int SOURCES = 8;

    /** Connections of one source. */
    public int maxPerSource() {
        return Math.max(1, maxConnections / SOURCES);
    }

    /**
     * Whether a source may open one more.
     *
     * @param open number of its open connections
     */
    public boolean allows(InetAddress source, LongSupplier open) {
        return unlimited.test(source) || open.getAsLong() < maxPerSource();
    }
}
