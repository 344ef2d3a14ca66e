/** Tests of the stored model. The diagrams in {@code docs/diagrams} equal its state types. */
@NullMarked
package drover.coordinator.plan.model;

import org.jspecify.annotations.NullMarked;
