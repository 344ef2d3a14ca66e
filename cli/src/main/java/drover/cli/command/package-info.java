/**
 * What all commands share: options, the call of a server, error reports and hints. Start with
 * {@link drover.cli.command.DroverRootCommand}, then {@link drover.cli.command.FailureReporter}.
 * Must not depend on the packages of single commands.
 */
@NullMarked
package drover.cli.command;

import org.jspecify.annotations.NullMarked;
