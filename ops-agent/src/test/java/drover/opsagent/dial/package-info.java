/** Tests of the choice of gateways. Start with {@link drover.opsagent.dial.DialPlanTest}. */
@NullMarked
package drover.opsagent.dial;

import org.jspecify.annotations.NullMarked;
