/**
 * How a program of Drover logs: one line per event, set up in code. Start with {@link
 * drover.kit.log.Logging}; called once, by the program's main.
 */
@NullMarked
package drover.kit.log;

import org.jspecify.annotations.NullMarked;
