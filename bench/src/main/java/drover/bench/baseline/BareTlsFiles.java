package drover.bench.baseline;

import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import drover.trust.identity.PeerRule;
import drover.trust.identity.SpiffeId;
import io.grpc.ServerCredentials;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What both ends of bare streams show, so that they are secured as the product's are.
 *
 * @param server of a service named {@code bare}
 * @param clients of a node; all clients show the same
 */
public record BareTlsFiles(TlsFiles server, TlsFiles clients) {
    private static final Duration NEVER = Duration.ofDays(1); // nobody replaces these

    /** As a gateway asks agents. */
    ServerCredentials serverCredentials() {
        ReloadingIdentity identity = ReloadingIdentity.open(server, NEVER);
        SpiffeId name = SpiffeId.of(identity.material().leaf());
        return TlsCredentials.serverCredentials(identity, PeerRule.ofNodes(name.domain()));
    }

    /** The directory of what clients show. */
    public Path clientDirectory() {
        return clients.chain().toAbsolutePath().resolveSibling(".").normalize();
    }
}
