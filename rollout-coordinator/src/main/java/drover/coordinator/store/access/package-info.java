/**
 * API keys and the audited history of keys and join tokens. Start with {@link
 * drover.coordinator.store.access.ApiKeyStore}, then {@link
 * drover.coordinator.store.access.KeyAndTokenHistorySql}. Depends on the pure packages and Jdbi,
 * and must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.access;

import org.jspecify.annotations.NullMarked;
