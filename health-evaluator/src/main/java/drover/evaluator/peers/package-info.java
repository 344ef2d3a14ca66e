/**
 * The gateways, as the evaluator needs them: somebody who passes on heartbeats. Start with {@link
 * drover.evaluator.peers.HeartbeatFeed}. Must not know what heartbeats are judged for.
 */
@NullMarked
package drover.evaluator.peers;

import org.jspecify.annotations.NullMarked;
