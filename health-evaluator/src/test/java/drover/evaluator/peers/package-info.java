/** Tests of the package with the same name. */
@NullMarked
package drover.evaluator.peers;

import org.jspecify.annotations.NullMarked;
