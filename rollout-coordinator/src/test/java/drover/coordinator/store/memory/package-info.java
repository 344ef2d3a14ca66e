/** The contract tests of the stores, run against the stores in memory. */
@NullMarked
package drover.coordinator.store.memory;

import org.jspecify.annotations.NullMarked;
