/**
 * Tests of the checks of the simulation. Start with {@link
 * drover.simulation.rules.CheckIndependenceTest}.
 */
@NullMarked
package drover.simulation.rules;

import org.jspecify.annotations.NullMarked;
