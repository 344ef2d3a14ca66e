/**
 * Tests of the simulated deployment. Start with {@link
 * drover.simulation.world.DynamicRegistryTest}.
 */
@NullMarked
package drover.simulation.world;

import org.jspecify.annotations.NullMarked;
