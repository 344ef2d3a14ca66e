/** Contract tests of requests about nodes. */
@NullMarked
package drover.coordinator.store.node;

import org.jspecify.annotations.NullMarked;
