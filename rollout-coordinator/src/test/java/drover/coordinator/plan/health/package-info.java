/** Tests of decisions on health: gates, deadlines, evaluators and handovers. */
@NullMarked
package drover.coordinator.plan.health;

import org.jspecify.annotations.NullMarked;
