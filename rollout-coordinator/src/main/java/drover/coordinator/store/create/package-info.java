/**
 * Creation of rollouts in one transaction each, and what nodes were last verified to run. Start
 * with {@link drover.coordinator.store.create.RolloutCreationStore}. Every replica creates
 * rollouts, so nothing here depends on the leader's store.
 */
@NullMarked
package drover.coordinator.store.create;

import org.jspecify.annotations.NullMarked;
