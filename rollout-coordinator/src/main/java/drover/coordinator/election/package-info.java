/**
 * Who proposes to lead. Electors only propose; PostgreSQL decides who may write. Start with {@link
 * drover.coordinator.election.LeaderElector}, then {@link
 * drover.coordinator.election.LeaseElector}. Reads no wall clock, and knows nothing of rollouts.
 */
@NullMarked
package drover.coordinator.election;

import org.jspecify.annotations.NullMarked;
