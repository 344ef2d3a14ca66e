/**
 * Decides the next step of an attempt, after a step and after a crash. Decides as well which
 * backups are retained, when an agent hands over to its successor, and which version is on the disk
 * of a node that is cleared. Start with {@link drover.opsagent.plan.NextStep}, then {@link
 * drover.opsagent.plan.AttemptRetention} and {@link drover.opsagent.plan.HandoverStep}. Pure: no
 * files, processes, clocks or messages. Depends on {@code drover.model} and {@code journal} only.
 */
@NullMarked
package drover.opsagent.plan;

import org.jspecify.annotations.NullMarked;
