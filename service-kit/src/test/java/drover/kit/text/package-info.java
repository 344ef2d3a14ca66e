/** Tests of words, tables and durations in text for operators. */
@NullMarked
package drover.kit.text;

import org.jspecify.annotations.NullMarked;
