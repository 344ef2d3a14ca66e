/**
 * Decides what happens to a node: which command is taken, which step comes next, and how to get
 * back after a crash. Start with {@link drover.opsagent.script.NextStep}, then {@link
 * drover.opsagent.script.Journal} and {@link drover.opsagent.script.AdmissionRules}. Pure: no
 * files, processes, clocks or messages; it depends on the vocabulary alone.
 */
@NullMarked
package drover.opsagent.script;

import org.jspecify.annotations.NullMarked;
