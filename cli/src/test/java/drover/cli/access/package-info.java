/**
 * Tests of the commands for API keys, join tokens and the audit log. Start with {@link
 * drover.cli.access.KeyCommandsTest}.
 */
@NullMarked
package drover.cli.access;

import org.jspecify.annotations.NullMarked;
