/**
 * Requests of operators: each service writes a request and waits briefly for the leader's decision
 * (R4). Start with {@link drover.coordinator.engine.request.RolloutRequestSubmitter}. Every replica
 * accepts requests, so nothing here depends on the leader or carries a request out.
 */
@NullMarked
package drover.coordinator.engine.request;

import org.jspecify.annotations.NullMarked;
