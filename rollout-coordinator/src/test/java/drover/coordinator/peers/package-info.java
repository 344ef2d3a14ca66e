/** Tests of the links to neighbours over in-process channels. */
@NullMarked
package drover.coordinator.peers;

import org.jspecify.annotations.NullMarked;
