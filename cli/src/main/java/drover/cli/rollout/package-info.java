/**
 * Commands for rollouts: plan, create, watch and control. Start with {@link
 * drover.cli.rollout.RolloutCommands}, then {@link drover.cli.rollout.RolloutControlCommands}.
 * {@link drover.cli.rollout.RolloutProgressRenderer} renders the live view as a pure function. Must
 * not depend on the commands for groups.
 */
@NullMarked
package drover.cli.rollout;

import org.jspecify.annotations.NullMarked;
