/**
 * The operator's terminal: commands over the contracts that any other caller can use.
 *
 * <p>Start with {@link drover.cli.command.DroverRootCommand}, then {@link
 * drover.cli.rollout.RolloutCommands} and {@link drover.cli.rollout.RolloutProgressRenderer}. This
 * package has the main class and the commands for events, incidents and manifests. Depends on the
 * contracts alone, so any other caller can get the same data.
 */
@NullMarked
package drover.cli;

import org.jspecify.annotations.NullMarked;
