/** Contract tests of the creation of rollouts. */
@NullMarked
package drover.coordinator.store.create;

import org.jspecify.annotations.NullMarked;
