package drover.bench.secured;

import drover.bench.limit.BareClients;
import drover.bench.limit.BareTls;
import drover.bench.limit.StreamShape;
import drover.bench.mesh.Running;
import drover.bench.mesh.ServiceProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.event.Level;

/** The limit of a gateway's memory: a server of {@link BareSecuredMain} and bare clients. */
final class BareSecuredServer implements AutoCloseable {
    private static final int HEAP = 1024; // MiB

    private final Path logs;
    private final Running running;
    private final BareTls tls;
    private final String address;
    private final Counted counted;
    private final ServiceProcess server;

    BareSecuredServer(Path logs, Running running, Identities identities, int port, int metrics) {
        this.logs = logs;
        this.running = running;
        this.tls = identities.bare();
        this.address = "127.0.0.1:" + port;
        this.counted = new Counted(metrics, BareSecuredMain.STREAMS);
        String files = tls.server().chain().getParent() + "";
        List<String> arguments =
                List.of("--listen", address, "--tls", files, "--metrics", "127.0.0.1:" + metrics);
        ServiceProcess started =
                running.start(
                        () ->
                                ServiceProcess.start(
                                        logs,
                                        BareSecuredMain.class,
                                        Level.WARN,
                                        HEAP,
                                        Map.of(),
                                        arguments));
        this.server = started.awaitDoor(port);
    }

    /** What each of so many streams adds. */
    Held each(int streams, Duration limit) {
        Held before = Held.by(server.pid());
        var _ =
                BareClients.start(
                        logs,
                        running,
                        address,
                        new StreamShape(streams, 1, 0, 0, 0),
                        false,
                        Optional.of(tls.ofClients()));
        counted.await(streams, limit);
        return Held.by(server.pid()).each(before, streams);
    }

    @Override
    public void close() {
        counted.close();
        server.kill();
    }
}
