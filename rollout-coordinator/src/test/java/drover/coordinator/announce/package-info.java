/** Tests of the room of events. */
@NullMarked
package drover.coordinator.announce;

import org.jspecify.annotations.NullMarked;
