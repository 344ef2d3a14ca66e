/** Tests of decisions on incidents. */
@NullMarked
package drover.coordinator.plan.incident;

import org.jspecify.annotations.NullMarked;
