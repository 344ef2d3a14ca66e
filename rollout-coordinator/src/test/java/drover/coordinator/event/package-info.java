/** Tests of events and their delivery rules. */
@NullMarked
package drover.coordinator.event;

import org.jspecify.annotations.NullMarked;
