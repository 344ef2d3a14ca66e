/**
 * Checks of a simulation: the invariants that must hold after every event. Start with {@link
 * drover.simulation.rules.SafetyInvariants}, then {@link
 * drover.simulation.rules.DispatchGateInvariants} and {@link
 * drover.simulation.rules.TransitionInvariants}. The checks read what the planner produced and
 * never call its decisions (decision 0112). Depends on {@code world}. Must not depend on {@code
 * faults}.
 */
@NullMarked
package drover.simulation.rules;

import org.jspecify.annotations.NullMarked;
