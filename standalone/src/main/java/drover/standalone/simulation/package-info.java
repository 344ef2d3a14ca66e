/**
 * The whole mesh in virtual time, from one seed: real planner and loops, real gateway table and
 * sessions, real health rules, real agents with their journals, over a network, disks, processes
 * and a store that fail. Start with {@link drover.standalone.simulation.Simulation} (one seed from
 * beginning to end), then {@link drover.standalone.simulation.World} (what there is), {@link
 * drover.standalone.simulation.WorldObserver} (what it reports) and {@link
 * drover.standalone.simulation.Safety} (what must hold after every event). Nothing here reads a
 * clock, starts a thread or decides what the product decides.
 */
@NullMarked
package drover.standalone.simulation;

import org.jspecify.annotations.NullMarked;
