/**
 * Tests of rollouts over a fleet: groups, health, operator decisions, preflights and signed
 * releases. Start with {@link drover.system.fleet.StandaloneIT}, then {@link
 * drover.system.fleet.OperatorDecisionsIT}.
 */
@NullMarked
package drover.system.fleet;

import org.jspecify.annotations.NullMarked;
