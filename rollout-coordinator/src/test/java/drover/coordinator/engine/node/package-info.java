/** Tests of the fleet loop: incidents, requests about nodes and preflights. */
@NullMarked
package drover.coordinator.engine.node;

import org.jspecify.annotations.NullMarked;
