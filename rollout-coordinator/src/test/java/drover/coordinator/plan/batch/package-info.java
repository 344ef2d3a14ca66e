/** Tests of decisions on batches: planning, approvals, holds and late failures. */
@NullMarked
package drover.coordinator.plan.batch;

import org.jspecify.annotations.NullMarked;
