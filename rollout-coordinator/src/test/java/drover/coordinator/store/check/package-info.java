/** Tests of the checks themselves: each must find a planted violation. */
@NullMarked
package drover.coordinator.store.check;

import org.jspecify.annotations.NullMarked;
