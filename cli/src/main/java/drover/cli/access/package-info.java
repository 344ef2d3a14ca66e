/**
 * Commands for API keys, join tokens and the audit log. Start with {@link
 * drover.cli.access.KeyCommands}. Must not depend on the commands for rollouts, groups and nodes.
 */
@NullMarked
package drover.cli.access;

import org.jspecify.annotations.NullMarked;
