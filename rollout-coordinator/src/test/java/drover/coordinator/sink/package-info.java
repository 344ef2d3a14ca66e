/** Tests of what goes outside. */
@NullMarked
package drover.coordinator.sink;

import org.jspecify.annotations.NullMarked;
