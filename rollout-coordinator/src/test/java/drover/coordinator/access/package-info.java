/** Tests of the room that says who may call. */
@NullMarked
package drover.coordinator.access;

import org.jspecify.annotations.NullMarked;
