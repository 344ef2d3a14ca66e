package drover.coordinator;

import drover.coordinator.access.OperatorAccessTable;
import drover.coordinator.engine.access.ApiKeyAuthenticator;
import drover.coordinator.engine.access.ApiKeyService;
import drover.coordinator.engine.access.GrantedKeyFilesProvisioner;
import drover.coordinator.engine.access.OperatorAuthenticator;
import drover.coordinator.store.access.ApiKeyStore;
import drover.coordinator.token.JwtAuthenticator;
import drover.kit.grpc.Authenticator;
import drover.kit.grpc.ScopeAuthorizer;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * How callers come in: one gate for gRPC and REST.
 *
 * @param keys where keys are made and revoked
 */
record OperatorAccessControl(ScopeAuthorizer gate, ApiKeyService keys) {
    /**
     * Grants what is configured, and puts the gate together.
     *
     * @param clock what the ends of keys are compared with
     */
    static OperatorAccessControl createWithGrants(
            OperatorAccessConfig config, ApiKeyStore store, Supplier<Instant> clock) {
        config.keyFiles()
                .ifPresent(
                        directory ->
                                new GrantedKeyFilesProvisioner(directory, store)
                                        .ensureGranted(config.grants()));
        ApiKeyAuthenticator book = new ApiKeyAuthenticator(store, clock, System::nanoTime);
        Authenticator who =
                config.insecure()
                        ? Authenticator.withoutAuthentication()
                        : new OperatorAuthenticator(
                                book,
                                config.issuer()
                                        .<OperatorAuthenticator.TokenAuthenticator>map(
                                                issuer -> new JwtAuthenticator(issuer, clock))
                                        .orElseGet(
                                                OperatorAuthenticator.TokenAuthenticator
                                                        ::rejectAll));
        return new OperatorAccessControl(
                new ScopeAuthorizer(OperatorAccessTable.TABLE, who),
                new ApiKeyService(store, book));
    }
}
