/** Tests of links to health-evaluators and of their assignment. */
@NullMarked
package drover.coordinator.engine.health;

import org.jspecify.annotations.NullMarked;
