/** Tests of the store on a real PostgreSQL. */
@NullMarked
package drover.coordinator.store;

import org.jspecify.annotations.NullMarked;
