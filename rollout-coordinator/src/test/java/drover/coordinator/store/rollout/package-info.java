/** Tests of pages of nodes, desired programs and the stored hash chain, on PostgreSQL. */
@NullMarked
package drover.coordinator.store.rollout;

import org.jspecify.annotations.NullMarked;
