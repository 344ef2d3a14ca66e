/**
 * Commands for rollout groups: create, show, watch and control. Start with {@link
 * drover.cli.group.GroupCommands}, then {@link drover.cli.group.GroupControlCommands}. Uses the
 * tables of {@link drover.cli.rollout}, which must not depend on this package.
 */
@NullMarked
package drover.cli.group;

import org.jspecify.annotations.NullMarked;
