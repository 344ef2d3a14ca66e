/** Tests of events and their order on PostgreSQL. */
@NullMarked
package drover.coordinator.store.export;

import org.jspecify.annotations.NullMarked;
