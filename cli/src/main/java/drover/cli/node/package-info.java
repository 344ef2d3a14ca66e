/**
 * Commands for nodes and their tables. Start with {@link drover.cli.node.NodeCommands}. Must not
 * depend on the commands for rollouts and groups.
 */
@NullMarked
package drover.cli.node;

import org.jspecify.annotations.NullMarked;
