package drover.manifest;

import drover.kit.edge.ServiceEdges;
import drover.kit.grpc.GrpcHost;
import drover.kit.telemetry.Metrics;
import drover.manifest.api.CatalogDoor;
import drover.manifest.api.ManifestDoor;
import drover.manifest.engine.Catalogue;
import drover.manifest.engine.CatalogueMetrics;
import drover.manifest.engine.RescanLoop;
import drover.manifest.engine.Validation;
import drover.manifest.source.ConfigDirectory;
import drover.model.identity.MeshService;
import java.time.InstantSource;

/** A running manifest-service: the catalogue, the loop that keeps it fresh, and the door. */
public final class ManifestService implements AutoCloseable {
    /** A request for 10,000 nodes with all their labels. */
    private static final int LARGEST_REQUEST = 32 * 1024 * 1024;

    private final RescanLoop loop;
    private final GrpcHost host;

    private final Runnable withdrawFiles;

    private ManifestService(RescanLoop loop, GrpcHost host, Runnable withdrawFiles) {
        this.loop = loop;
        this.host = host;
        this.withdrawFiles = withdrawFiles;
    }

    /**
     * Reads the whole directory, then opens the door.
     *
     * @throws drover.manifest.source.ConfigDirectoryMissing when the directory is not there
     * @throws drover.kit.grpc.PortTaken when another program has the port
     */
    public static ManifestService start(ManifestServiceConfig config) {
        return start(config, Metrics.open()); // nobody looks at them
    }

    /** The same; the metrics are the process's, which its owner shows and closes. */
    public static ManifestService start(ManifestServiceConfig config, Metrics shown) {
        return start(config, shown, ServiceEdges.plain(MeshService.MANIFEST));
    }

    /** The same; the door is for the services that the edges admit. */
    static ManifestService start(ManifestServiceConfig config, Metrics shown, ServiceEdges edges) {
        CatalogueMetrics metrics = new CatalogueMetrics(shown);
        Catalogue catalogue =
                new Catalogue(
                        ConfigDirectory.open(config.configDirectory()), InstantSource.system());
        catalogue.refreshStable();
        GrpcHost host =
                edges.door()
                        .serve(new ManifestDoor(catalogue, new Validation(catalogue)))
                        .serve(new CatalogDoor(catalogue))
                        .withReflection()
                        .listen(
                                config.door(),
                                builder -> builder.maxInboundMessageSize(LARGEST_REQUEST));
        host.ready(true);
        return new ManifestService(
                RescanLoop.start(catalogue, config.rescan(), metrics),
                host,
                metrics.show(catalogue));
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
