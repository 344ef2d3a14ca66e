package drover.bench.mesh;

import drover.bench.fault.Edge;
import drover.machine.home.Ports;
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
final class Links implements AutoCloseable {
    private static final String HERE = "127.0.0.1";

    private final Path directory;
    private final Map<Edge, Link> links = new HashMap<>();
    private final Map<String, List<String>> hosts = new HashMap<>(); // by who asks
    private final Map<String, Integer> named = new HashMap<>(); // ports of what has a name
    private int addresses = 1; // of this machine, all of 127.0.0.0/8

    Links(Path directory) {
        this.directory = directory;
    }

    /** Where {@code from} dials to get there. */
    String between(String from, String to, IntSupplier there) {
        return HERE + ":" + to(new Edge(from, to), () -> Link.open(there)).port();
    }

    /** The port at which {@code from} dials to get to PostgreSQL. */
    int toPostgres(String from, IntSupplier there) {
        return to(new Edge(from, Edge.POSTGRES), () -> Link.toPostgres(there)).port();
    }

    /** The same one, however often it is asked for. */
    private Link to(Edge edge, Supplier<Link> opening) {
        return links.computeIfAbsent(edge, _ -> opening.get());
    }

    /**
     * Links to something of which everybody is told the same.
     *
     * @param from those that dial it; they must be started with {@link #names}
     * @return a name with a port
     */
    String named(List<String> from, String to, IntSupplier there) {
        int port = named.computeIfAbsent(to, _ -> Ports.free(Set.copyOf(named.values())));
        for (String each : from) {
            String address = "127.77.0." + ++addresses;
            links.put(new Edge(each, to), Link.open(new InetSocketAddress(address, port), there));
            hosts.computeIfAbsent(each, _ -> new ArrayList<>()).add(address + " " + to);
        }
        return to + ":" + port;
    }

    /** What a process is started with so that it knows those names. */
    Map<String, String> names(String from) {
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

    Link of(Edge edge) {
        return Objects.requireNonNull(links.get(edge), () -> "no link " + edge);
    }

    Set<Edge> edges() {
        return links.keySet();
    }

    @Override
    public void close() {
        links.values().forEach(Link::close);
    }
}
