/** Contract tests of commits: superseded nodes and rows that are permanent. */
@NullMarked
package drover.coordinator.store.commit;

import org.jspecify.annotations.NullMarked;
