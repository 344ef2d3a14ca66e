/**
 * The operator's terminal: commands, tables, a live view, and words for somebody on call at night.
 * Start with {@link drover.cli.DroverCli}, then {@link drover.cli.rollout.ProgressView}. Depends on the
 * contracts alone: whatever it shows, any other caller can get as well.
 */
@NullMarked
package drover.cli;

import org.jspecify.annotations.NullMarked;
