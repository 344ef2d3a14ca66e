package drover.system.fault;

import drover.localenv.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * One link for each edge of a mesh. Who is given an address gets that of a link of its own.
 * Gateways tell everybody the same one, so that is a name: each process knows another address of
 * this machine by it, from a file of its own.
 */
public final class FaultProxies implements AutoCloseable {
    private static final String HERE = "127.0.0.1";

    private final Path directory;
    private final Map<NetworkPath, FaultProxy> links = new HashMap<>();
    private final Map<String, List<String>> hosts = new HashMap<>(); // by who asks
    private final Map<String, Integer> named = new HashMap<>(); // ports of what has a name
    private int addresses = 1; // of this machine, all of 127.0.0.0/8

    public FaultProxies(Path directory) {
        this.directory = directory;
    }

    /** Where {@code from} dials to get there. */
    public String between(String from, String to, IntSupplier there) {
        return HERE + ":" + to(new NetworkPath(from, to), () -> FaultProxy.open(there)).port();
    }

    /** The port at which {@code from} dials to get to PostgreSQL. */
    public int toPostgres(String from, IntSupplier there) {
        return to(new NetworkPath(from, NetworkPath.POSTGRES), () -> FaultProxy.toPostgres(there))
                .port();
    }

    /** The same one, however often it is asked for. */
    private FaultProxy to(NetworkPath edge, Supplier<FaultProxy> opening) {
        return links.computeIfAbsent(edge, _ -> opening.get());
    }

    /**
     * Links to something of which everybody is told the same.
     *
     * @param from those that dial it; they must be started with {@link #names}
     * @return a name with a port
     */
    public String named(List<String> from, String to, IntSupplier there) {
        int port = named.computeIfAbsent(to, _ -> Ports.findFree(Set.copyOf(named.values())));
        for (String each : from) {
            String address = "127.77.0." + ++addresses;
            links.put(
                    new NetworkPath(each, to),
                    FaultProxy.open(new InetSocketAddress(address, port), there));
            hosts.computeIfAbsent(each, _ -> new ArrayList<>()).add(address + " " + to);
        }
        return to + ":" + port;
    }

    /** What a process is started with so that it knows those names. */
    public Map<String, String> names(String from) {
        try {
            List<String> lines = new ArrayList<>(hosts.getOrDefault(from, List.of()));
            lines.add(HERE + " localhost");
            lines.add(HERE + " " + InetAddress.getLocalHost().getHostName());
            Path file = directory.resolve("hosts-" + from);
            Files.write(file, lines);
            return Map.of("JDK_JAVA_OPTIONS", "-Djdk.net.hosts.file=" + file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public FaultProxy of(NetworkPath edge) {
        return Objects.requireNonNull(links.get(edge), () -> "no link " + edge);
    }

    public Set<NetworkPath> edges() {
        return links.keySet();
    }

    @Override
    public void close() {
        links.values().forEach(FaultProxy::close);
    }
}
