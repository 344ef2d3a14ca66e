/** Tests of the vocabulary. Start with {@link drover.model.GrammarsTest}. */
@NullMarked
package drover.model;

import org.jspecify.annotations.NullMarked;
