/** Tests of the vocabulary. Start with {@link drover.model.NameGrammarTest}. */
@NullMarked
package drover.model;

import org.jspecify.annotations.NullMarked;
