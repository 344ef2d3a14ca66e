/** Contract tests of incidents. */
@NullMarked
package drover.coordinator.store.incident;

import org.jspecify.annotations.NullMarked;
