/**
 * Tests of the commands for rollout groups. Start with {@link drover.cli.group.GroupCommandsTest}.
 */
@NullMarked
package drover.cli.group;

import org.jspecify.annotations.NullMarked;
