/**
 * Decisions on health: gates, deadlines, the choice of an evaluator and the handover of agents.
 * Start with {@link drover.coordinator.plan.health.HealthGate}, then {@link
 * drover.coordinator.plan.health.NodeDeadlineEnforcer}. A part of the pure package {@code plan}: no
 * clocks, threads, I/O or libraries.
 */
@NullMarked
package drover.coordinator.plan.health;

import org.jspecify.annotations.NullMarked;
