/** Tests of the leader's store on PostgreSQL. */
@NullMarked
package drover.coordinator.store.leader;

import org.jspecify.annotations.NullMarked;
