/**
 * Verification of the history as chains of hashes (invariant G2). Start with {@link
 * drover.coordinator.store.audit.HistoryChecker}, then {@link
 * drover.coordinator.store.audit.HashChainChecker}. Only reads: nothing here may write a history.
 */
@NullMarked
package drover.coordinator.store.audit;

import org.jspecify.annotations.NullMarked;
