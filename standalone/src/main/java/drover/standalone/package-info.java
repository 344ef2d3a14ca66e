/**
 * The whole mesh in one process. Start with {@link drover.standalone.command.Main}, then read
 * {@link drover.standalone.InProcessServiceFactory}, the one file that chooses every outermost
 * part.
 */
@NullMarked
package drover.standalone;

import org.jspecify.annotations.NullMarked;
