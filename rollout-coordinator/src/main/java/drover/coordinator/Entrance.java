package drover.coordinator;

import drover.coordinator.access.OperatorMethods;
import drover.coordinator.engine.Credentials;
import drover.coordinator.engine.KeyBook;
import drover.coordinator.engine.KeyDesk;
import drover.coordinator.engine.KeyFiles;
import drover.coordinator.store.KeyStore;
import drover.coordinator.token.TokenJudge;
import drover.kit.grpc.AccessControl;
import drover.kit.grpc.Authenticator;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * How callers come in: one gate for gRPC and REST.
 *
 * @param keys where keys are made and revoked
 */
record Entrance(AccessControl gate, KeyDesk keys) {
    /**
     * Grants what is configured, and puts the gate together.
     *
     * @param clock what the ends of keys are compared with
     */
    static Entrance open(AccessConfig config, KeyStore store, Supplier<Instant> clock) {
        config.keyFiles()
                .ifPresent(directory -> new KeyFiles(directory, store).keep(config.grants()));
        KeyBook book = new KeyBook(store, clock, System::nanoTime);
        Authenticator who =
                config.insecure()
                        ? Authenticator.allowLocal()
                        : new Credentials(
                                book,
                                config.issuer()
                                        .<Credentials.Tokens>map(
                                                issuer -> new TokenJudge(issuer, clock))
                                        .orElseGet(Credentials.Tokens::none));
        return new Entrance(new AccessControl(OperatorMethods.TABLE, who), new KeyDesk(store, book));
    }
}
