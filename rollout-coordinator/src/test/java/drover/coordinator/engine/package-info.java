/** Tests of the loops over a real PostgreSQL and scripted neighbours. */
@NullMarked
package drover.coordinator.engine;

import org.jspecify.annotations.NullMarked;
