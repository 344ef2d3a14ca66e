/**
 * Decides which gateway an agent connects to next, and after which delay. Start with {@link
 * drover.opsagent.reconnect.ReconnectPlan}. Pure: randomness and times are arguments. Depends on
 * the JDK only.
 */
@NullMarked
package drover.opsagent.reconnect;

import org.jspecify.annotations.NullMarked;
