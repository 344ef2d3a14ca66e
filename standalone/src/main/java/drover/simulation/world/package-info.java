/**
 * Simulated deployment: the loops, planner, gateway sessions, health rules and agents of the
 * product, over simulated network, disks, processes, store and time. Start with {@link
 * drover.simulation.world.SimulatedWorld} for its parts, then {@link
 * drover.simulation.world.WorldObserver} for the events that it reports. Must not depend on {@code
 * rules} or {@code faults}.
 */
@NullMarked
package drover.simulation.world;

import org.jspecify.annotations.NullMarked;
