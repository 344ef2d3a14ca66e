package drover.manifest;

import drover.kit.grpc.GrpcServer;
import drover.kit.mtls.ServiceTransport;
import drover.kit.telemetry.Metrics;
import drover.manifest.api.ManifestGrpcService;
import drover.manifest.api.ProfileRenderGrpcService;
import drover.manifest.catalog.CatalogFileCache;
import drover.manifest.catalog.CatalogMetrics;
import drover.manifest.catalog.ManifestValidator;
import drover.manifest.catalog.RescanLoop;
import drover.manifest.source.ConfigDirectory;
import drover.trust.identity.ServiceName;
import java.time.InstantSource;

/** A running manifest-service: the catalogue, the loop that keeps it fresh, and the door. */
public final class ManifestService implements AutoCloseable {
    /** A request for 10,000 nodes with all their labels. */
    private static final int LARGEST_REQUEST = 32 * 1024 * 1024;

    private final RescanLoop loop;
    private final GrpcServer host;

    private final Runnable withdrawFiles;

    private ManifestService(RescanLoop loop, GrpcServer host, Runnable withdrawFiles) {
        this.loop = loop;
        this.host = host;
        this.withdrawFiles = withdrawFiles;
    }

    /**
     * Reads the whole directory, then opens the door.
     *
     * @throws drover.manifest.source.ConfigDirectoryMissing when the directory is not there
     * @throws drover.kit.grpc.PortInUse when another program has the port
     */
    public static ManifestService start(ManifestServiceConfig config) {
        return start(config, Metrics.open()); // nobody looks at them
    }

    /** The same; the metrics are the process's, which its owner shows and closes. */
    public static ManifestService start(ManifestServiceConfig config, Metrics shown) {
        return start(config, shown, ServiceTransport.plaintext(ServiceName.MANIFEST));
    }

    /** The same; the door is for the services that the edges admit. */
    static ManifestService start(
            ManifestServiceConfig config, Metrics shown, ServiceTransport edges) {
        CatalogMetrics metrics = new CatalogMetrics(shown);
        CatalogFileCache catalogue =
                new CatalogFileCache(
                        ConfigDirectory.open(config.configDirectory()), InstantSource.system());
        catalogue.refreshUntilStable();
        GrpcServer host =
                edges.serverBuilder()
                        .addService(
                                new ManifestGrpcService(
                                        catalogue, new ManifestValidator(catalogue)))
                        .addService(new ProfileRenderGrpcService(catalogue))
                        .withReflection()
                        .listen(
                                config.address(),
                                builder -> builder.maxInboundMessageSize(LARGEST_REQUEST));
        host.setReady(true);
        return new ManifestService(
                RescanLoop.start(catalogue, config.rescanInterval(), metrics),
                host,
                metrics.register(catalogue));
    }

    /** The port it listens on; -1 inside a process. */
    public int port() {
        return host.port();
    }

    @Override
    public void close() {
        loop.close();
        host.close();
        withdrawFiles.run();
    }
}
