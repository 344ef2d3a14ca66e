/** Tests of the JSON output. Start with {@link drover.cli.terminal.MessageJsonTest}. */
@NullMarked
package drover.cli.terminal;

import org.jspecify.annotations.NullMarked;
