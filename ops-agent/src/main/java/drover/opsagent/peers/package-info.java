/**
 * The agent's one neighbour, the gateway: the stream, and the conversion of its messages. Start
 * with {@link drover.opsagent.peers.GatewaySessionLoop}. Generated types stop here.
 */
@NullMarked
package drover.opsagent.peers;

import org.jspecify.annotations.NullMarked;
