/**
 * Tests of the pure room: scripts of a fleet, every cell of the table of requests, and properties
 * over random fleets.
 */
@NullMarked
package drover.coordinator.plan;

import org.jspecify.annotations.NullMarked;
