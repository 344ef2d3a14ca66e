/**
 * The commit of one step of a rollout, in one fenced transaction. Start with {@link
 * drover.coordinator.store.commit.Commit} (what a step writes), then {@link
 * drover.coordinator.store.commit.CommitSql}. Depends on the pure packages and Jdbi, and must not
 * depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.commit;

import org.jspecify.annotations.NullMarked;
