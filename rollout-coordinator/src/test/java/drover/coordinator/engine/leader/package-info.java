/**
 * Tests of terms of a leader over a real PostgreSQL and scripted agents. Start with {@link
 * drover.coordinator.engine.leader.TermFixture}; {@link
 * drover.coordinator.engine.leader.VirtualTimeTerm} runs a term in virtual time.
 */
@NullMarked
package drover.coordinator.engine.leader;

import org.jspecify.annotations.NullMarked;
