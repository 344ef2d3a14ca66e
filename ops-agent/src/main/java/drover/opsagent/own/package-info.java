/**
 * The agent as a thing that is itself upgraded: its versions side by side on the disk, the jar and
 * process that it is, how its successor tests itself, is started and stopped. Start with {@link
 * drover.opsagent.own.Itself}, then {@link drover.opsagent.own.Versions}. What happens when is
 * decided in {@code script}; it must not depend on {@code engine} or {@code peers}.
 */
@NullMarked
package drover.opsagent.own;

import org.jspecify.annotations.NullMarked;
