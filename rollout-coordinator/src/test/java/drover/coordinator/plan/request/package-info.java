/** Tests of every cell of the table of states and requests, and of the two-person rule. */
@NullMarked
package drover.coordinator.plan.request;

import org.jspecify.annotations.NullMarked;
