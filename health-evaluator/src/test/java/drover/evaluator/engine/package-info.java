/** Tests of the rooms in which coordinators watch. */
@NullMarked
package drover.evaluator.engine;

import org.jspecify.annotations.NullMarked;
