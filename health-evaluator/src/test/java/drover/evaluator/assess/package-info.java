/** Tests of the package with the same name. */
@NullMarked
package drover.evaluator.assess;

import org.jspecify.annotations.NullMarked;
