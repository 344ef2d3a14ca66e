/** Tests of the loop of one rollout: agents, replays, recorded histories and rejected commits. */
@NullMarked
package drover.coordinator.engine.rollout;

import org.jspecify.annotations.NullMarked;
