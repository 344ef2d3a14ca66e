package drover.manifest.parse;

import drover.model.NodePath;
import java.time.Duration;
import java.util.Optional;

/**
 * Probe of a cluster member as written.
 *
 * @param driver {@code etcd}, or the absolute path of an executable
 * @param endpoint template for the address of the member; empty if the executable knows its member
 * @param caFile etcd with TLS: CAs of its certificates
 * @param certFile etcd with mutual TLS: client certificate
 * @param keyFile etcd with mutual TLS: its key
 * @param userFile etcd with authentication: one line {@code NAME:PASSWORD}
 */
public record ClusterProbeTemplate(
        String driver,
        String endpoint,
        Duration interval,
        Optional<NodePath> caFile,
        Optional<NodePath> certFile,
        Optional<NodePath> keyFile,
        Optional<NodePath> userFile) {}
