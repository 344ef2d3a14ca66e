/** Tests of the threads that run loops. */
@NullMarked
package drover.coordinator.engine.loop;

import org.jspecify.annotations.NullMarked;
