/** Tests of which spans a history makes. */
@NullMarked
package drover.coordinator.trace;

import org.jspecify.annotations.NullMarked;
