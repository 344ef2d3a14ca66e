package drover.bench.mtls;

import drover.bench.baseline.BareClientsLauncher;
import drover.bench.baseline.BareTlsFiles;
import drover.bench.baseline.StreamWorkload;
import drover.bench.deployment.ServiceProcess;
import drover.bench.deployment.StartedResources;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.event.Level;

/** The limit of a gateway's memory: a server of {@link BareGrpcTlsServerMain} and bare clients. */
final class TlsStreamMemoryBaseline implements AutoCloseable {
    private static final int HEAP = 1024; // MiB

    private final Path logs;
    private final StartedResources running;
    private final BareTlsFiles tls;
    private final String address;
    private final StreamCountReader counted;
    private final ServiceProcess server;

    TlsStreamMemoryBaseline(
            Path logs, StartedResources running, BenchCa identities, int port, int metrics) {
        this.logs = logs;
        this.running = running;
        this.tls = identities.issueBare();
        this.address = "127.0.0.1:" + port;
        this.counted = new StreamCountReader(metrics, BareGrpcTlsServerMain.STREAMS);
        String files = tls.server().chain().getParent() + "";
        List<String> arguments =
                List.of("--listen", address, "--tls", files, "--metrics", "127.0.0.1:" + metrics);
        ServiceProcess started =
                running.start(
                        () ->
                                ServiceProcess.start(
                                        logs,
                                        BareGrpcTlsServerMain.class,
                                        Level.WARN,
                                        HEAP,
                                        Map.of(),
                                        arguments));
        this.server = started.awaitPort(port);
    }

    /** What each of so many streams adds. */
    ProcessMemory measurePerStream(int streams, Duration limit) {
        ProcessMemory before = ProcessMemory.measure(server.pid());
        var _ =
                BareClientsLauncher.start(
                        logs,
                        running,
                        address,
                        new StreamWorkload(streams, 1, 0, 0, 0),
                        false,
                        Optional.of(tls.clientDirectory()));
        counted.await(streams, limit);
        return ProcessMemory.measure(server.pid()).perStream(before, streams);
    }

    @Override
    public void close() {
        counted.close();
        server.kill();
    }
}
