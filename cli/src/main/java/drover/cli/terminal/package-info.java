/**
 * Output for people and programs: console, tables, colors, times and JSON. Start with {@link
 * drover.cli.terminal.Console}, then {@link drover.cli.terminal.ConsoleTable} and {@link
 * drover.cli.terminal.MessageJson}. Must not depend on commands, on picocli or on gRPC.
 */
@NullMarked
package drover.cli.terminal;

import org.jspecify.annotations.NullMarked;
