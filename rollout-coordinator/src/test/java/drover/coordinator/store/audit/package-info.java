/** Tests of the verification of hash chains on PostgreSQL. */
@NullMarked
package drover.coordinator.store.audit;

import org.jspecify.annotations.NullMarked;
