/**
 * The commands that this machine's own mesh answers to: up, down, status, demo, agent, and those
 * that need no mesh: doctor, schema, completion. Start with {@link
 * drover.standalone.command.UpCommand}. The operator's commands are the cli's.
 */
@NullMarked
package drover.standalone.command;

import org.jspecify.annotations.NullMarked;
