/** Tests of the package with the same name. */
@NullMarked
package drover.evaluator.api;

import org.jspecify.annotations.NullMarked;
