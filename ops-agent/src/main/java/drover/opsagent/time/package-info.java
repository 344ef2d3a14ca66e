/**
 * Monotonic time: no decision of the agent reads a wall clock (C7). Start with {@link
 * drover.opsagent.time.Ticker}. The one place where threads sleep.
 */
@NullMarked
package drover.opsagent.time;

import org.jspecify.annotations.NullMarked;
