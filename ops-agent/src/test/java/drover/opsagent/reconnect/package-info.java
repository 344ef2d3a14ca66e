/**
 * Tests of the choice of gateways. Start with {@link drover.opsagent.reconnect.ReconnectPlanTest}.
 */
@NullMarked
package drover.opsagent.reconnect;

import org.jspecify.annotations.NullMarked;
