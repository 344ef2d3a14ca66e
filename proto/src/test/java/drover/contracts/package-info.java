/**
 * What must hold of the contracts themselves. Start with {@link drover.contracts.CommentedTest};
 * depends on the descriptor set alone.
 */
@NullMarked
package drover.contracts;

import org.jspecify.annotations.NullMarked;
