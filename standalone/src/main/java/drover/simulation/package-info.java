/**
 * Simulation of a complete deployment in virtual time, from one seed or from a scenario script.
 * Start with {@link drover.simulation.Simulation} for one seed from start to end, then {@link
 * drover.simulation.ScenarioScriptPlayer}. Sub-packages: {@code world} (what runs), {@code faults}
 * (what fails), {@code rules} (what must hold after every event). It reads no wall clock, starts no
 * thread, and decides nothing that the product decides.
 */
@NullMarked
package drover.simulation;

import org.jspecify.annotations.NullMarked;
