/**
 * Terms of the leader: takeover, the loops and links of a term, and stepping down. Start with
 * {@link drover.coordinator.engine.leader.Leadership} (turns elections into terms), then {@link
 * drover.coordinator.engine.leader.LeaderTerm} (everything that one leader runs). The package
 * assembles the other packages of {@code engine}, and none of them may depend on it.
 */
@NullMarked
package drover.coordinator.engine.leader;

import org.jspecify.annotations.NullMarked;
