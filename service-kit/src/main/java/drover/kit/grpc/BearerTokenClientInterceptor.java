package drover.kit.grpc;

import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;

/** A key or token that every call of a channel brings. */
public final class BearerTokenClientInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of(AuthorizationInterceptor.HEADER, Metadata.ASCII_STRING_MARSHALLER);

    private BearerTokenClientInterceptor() {}

    /** Brings this one; nothing when it is empty. */
    public static ClientInterceptor of(String credential) {
        Metadata headers = new Metadata();
        if (!credential.isEmpty()) {
            headers.put(AUTHORIZATION, "Bearer " + credential);
        }
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }
}
