/**
 * Records of an attempt: its assignment, its journal, its actions and undo steps, and the status
 * that the agent reports. Start with {@link drover.opsagent.journal.Journal}, then {@link
 * drover.opsagent.journal.ActionSequences} for the order of the steps. Pure: no files, processes,
 * clocks or messages. Depends on {@code drover.model} only.
 */
@NullMarked
package drover.opsagent.journal;

import org.jspecify.annotations.NullMarked;
