/**
 * Starting a service as a program of its own: flags, environment, a file, and one clear sentence
 * when it cannot start. Start with {@link drover.kit.start.Launch}. Knows no service's domain.
 */
@NullMarked
package drover.kit.start;

import org.jspecify.annotations.NullMarked;
