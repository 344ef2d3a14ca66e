/**
 * What exports read: events and their receivers, dead letters, spans and recorded decisions. Start
 * with {@link drover.coordinator.store.export.EventViews} and {@link
 * drover.coordinator.store.export.EventDeliveryStore}. The positions of receivers are written under
 * the fence (invariant G4). Must not depend on gRPC.
 */
@NullMarked
package drover.coordinator.store.export;

import org.jspecify.annotations.NullMarked;
