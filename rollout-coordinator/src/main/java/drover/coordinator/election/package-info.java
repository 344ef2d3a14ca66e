/**
 * Who proposes to lead. Electors only propose; PostgreSQL decides who may write. Start with {@link
 * drover.coordinator.election.LeaderElector}.
 */
@NullMarked
package drover.coordinator.election;

import org.jspecify.annotations.NullMarked;
