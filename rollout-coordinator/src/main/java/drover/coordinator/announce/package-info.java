/**
 * The pure room of events: which event a row of history is, under which name and subject. Start
 * with {@link drover.coordinator.announce.Announcements}. No clock, no database, no messages: the
 * same row is the same event under the same id, whoever is told and how often (invariant G4).
 */
@NullMarked
package drover.coordinator.announce;

import org.jspecify.annotations.NullMarked;
