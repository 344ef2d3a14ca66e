/**
 * Pure package of events: maps an entry of the history to its event with name, subject and id.
 * Start with {@link drover.coordinator.event.EventMapper}; {@link
 * drover.coordinator.event.DeliveryRules} decides whether a receiver rejected an event. No clock,
 * database or messages: the same entry is always the same event with the same id (invariant G4).
 */
@NullMarked
package drover.coordinator.event;

import org.jspecify.annotations.NullMarked;
