/**
 * Links to the health-evaluators and the assignment of rollouts to them. Start with {@link
 * drover.coordinator.engine.health.EvaluatorAssignments}, then {@link
 * drover.coordinator.engine.health.GroupHealthGate}. Verdicts go to {@code engine.fleet}. The
 * choice of an evaluator is decided in {@code plan.health}, and nothing here depends on a loop or a
 * store.
 */
@NullMarked
package drover.coordinator.engine.health;

import org.jspecify.annotations.NullMarked;
