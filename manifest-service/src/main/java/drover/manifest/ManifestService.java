package drover.manifest;

import drover.kit.grpc.GrpcHost;
import drover.manifest.api.CatalogDoor;
import drover.manifest.api.ManifestDoor;
import drover.manifest.engine.Catalogue;
import drover.manifest.engine.RescanLoop;
import drover.manifest.engine.Validation;
import drover.manifest.source.ConfigDirectory;
import java.time.InstantSource;

/** A running manifest-service: the catalogue, the loop that keeps it fresh, and the door. */
public final class ManifestService implements AutoCloseable {
    /** A request for 10,000 nodes with all their labels. */
    private static final int LARGEST_REQUEST = 32 * 1024 * 1024;

    private final RescanLoop loop;
    private final GrpcHost host;

    private ManifestService(RescanLoop loop, GrpcHost host) {
        this.loop = loop;
        this.host = host;
    }

    /**
     * Reads the whole directory, then opens the door.
     *
     * @throws drover.manifest.source.ConfigDirectoryMissing when the directory is not there
     * @throws drover.kit.grpc.PortTaken when another program has the port
     */
    public static ManifestService start(ManifestServiceConfig config) {
        Catalogue catalogue =
                new Catalogue(
                        ConfigDirectory.open(config.configDirectory()), InstantSource.system());
        catalogue.refresh();
        GrpcHost host =
                GrpcHost.plan()
                        .serve(new ManifestDoor(catalogue, new Validation(catalogue)))
                        .serve(new CatalogDoor(catalogue))
                        .withReflection()
                        .listen(
                                config.door(),
                                builder -> builder.maxInboundMessageSize(LARGEST_REQUEST));
        host.ready(true);
        return new ManifestService(RescanLoop.start(catalogue, config.rescan()), host);
    }

    /** The port it listens on; -1 inside a process. */
    public int port() {
        return host.port();
    }

    @Override
    public void close() {
        loop.close();
        host.close();
    }
}
