package drover.opsagent.peers;

import io.grpc.Metadata;

/** A secret that a node shows over a plain connection. */
public record TokenCredential(String token) implements NodeCredential {
    private static final Metadata.Key<String> TOKEN =
            Metadata.Key.of("drover-node-token", Metadata.ASCII_STRING_MARSHALLER);

    @Override
    public PreparedConnection prepareConnection(GatewayAddress gateway) {
        Metadata headers = new Metadata();
        headers.put(TOKEN, token);
        return new PreparedConnection(gateway.openChannel(), headers, "");
    }

    /** Never the token (H14). */
    @Override
    public String toString() {
        return "TokenCredential";
    }
}
