/**
 * Carries attempts out: takes commands, runs the script step by step, and takes up what a crash
 * left. Start with {@link drover.opsagent.engine.attempt.AttemptRunner}, then {@link
 * drover.opsagent.engine.CommandProcessor}. Decides nothing itself; knows no messages and no
 * sockets.
 */
@NullMarked
package drover.opsagent.engine;

import org.jspecify.annotations.NullMarked;
