/** Tests of the package with the same name. */
@NullMarked
package drover.evaluator;

import org.jspecify.annotations.NullMarked;
