/**
 * Tests of the commands for rollouts. Start with {@link drover.cli.rollout.RolloutCommandsTest},
 * then {@link drover.cli.rollout.RolloutProgressRendererTest}.
 */
@NullMarked
package drover.cli.rollout;

import org.jspecify.annotations.NullMarked;
