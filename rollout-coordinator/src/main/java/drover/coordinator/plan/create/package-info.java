/**
 * Rules for the creation of a rollout. Start with {@link
 * drover.coordinator.plan.create.CreationFieldRules}; {@link
 * drover.coordinator.plan.create.InventoryBehindAttemptsCheck} detects outdated entries of the
 * gateways' directory. A part of the pure package {@code plan}: no clocks, threads, I/O or
 * libraries. Running rollouts do not depend on it.
 */
@NullMarked
package drover.coordinator.plan.create;

import org.jspecify.annotations.NullMarked;
