/**
 * Faults of a simulation, drawn from its seed, and the calm phase after them. Start with {@link
 * drover.simulation.faults.FaultInjector}. Depends on {@code world}. Must not depend on {@code
 * rules}.
 */
@NullMarked
package drover.simulation.faults;

import org.jspecify.annotations.NullMarked;
