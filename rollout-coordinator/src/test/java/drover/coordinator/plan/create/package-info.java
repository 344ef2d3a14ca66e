/** Tests of creation rules and of outdated directory entries. */
@NullMarked
package drover.coordinator.plan.create;

import org.jspecify.annotations.NullMarked;
