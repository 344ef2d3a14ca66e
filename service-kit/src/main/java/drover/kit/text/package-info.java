/**
 * Formats for text that people read and write: durations, aligned tables, and the nearest known
 * name. Start with {@link drover.kit.text.DurationTextCodec}. Must not depend on another package of
 * Drover.
 */
@NullMarked
package drover.kit.text;

import org.jspecify.annotations.NullMarked;
