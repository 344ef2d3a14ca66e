/**
 * The simulation as a test, from seeds and from scenario scripts. Start with {@link
 * drover.simulation.SimulationTest}, then {@link drover.simulation.ScenarioScriptPlayerTest}.
 */
@NullMarked
package drover.simulation;

import org.jspecify.annotations.NullMarked;
