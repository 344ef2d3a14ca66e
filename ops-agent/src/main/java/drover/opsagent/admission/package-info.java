/**
 * Decides whether the agent accepts a command. Start with {@link
 * drover.opsagent.admission.AdmissionRules}. Pure: no files, processes, clocks or messages. Depends
 * on {@code drover.model} and {@code journal} only.
 */
@NullMarked
package drover.opsagent.admission;

import org.jspecify.annotations.NullMarked;
