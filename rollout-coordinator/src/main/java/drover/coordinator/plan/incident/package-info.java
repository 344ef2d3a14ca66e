/**
 * Decisions on incidents: which a step or a finding of an agent opens and closes. Start with {@link
 * drover.coordinator.plan.incident.IncidentRules}. A part of the pure package {@code plan}: no
 * clocks, threads, I/O or libraries.
 */
@NullMarked
package drover.coordinator.plan.incident;

import org.jspecify.annotations.NullMarked;
