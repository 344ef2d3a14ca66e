/** Contract tests of rollout groups. */
@NullMarked
package drover.coordinator.store.group;

import org.jspecify.annotations.NullMarked;
