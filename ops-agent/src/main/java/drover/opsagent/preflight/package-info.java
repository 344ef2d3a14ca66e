/**
 * Decides whether the agent accepts a preflight, and holds the report of its checks. Start with
 * {@link drover.opsagent.preflight.PreflightAdmissionRules}, then {@link
 * drover.opsagent.preflight.PreflightReport}. Pure: no files, processes, clocks or messages.
 * Depends on {@code drover.model}, {@code journal} and {@code admission} only.
 */
@NullMarked
package drover.opsagent.preflight;

import org.jspecify.annotations.NullMarked;
