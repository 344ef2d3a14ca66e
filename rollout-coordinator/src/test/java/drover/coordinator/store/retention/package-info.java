/** Tests of retention on PostgreSQL. */
@NullMarked
package drover.coordinator.store.retention;

import org.jspecify.annotations.NullMarked;
