/**
 * Decides which gateway an agent dials next, and when. Start with {@link
 * drover.opsagent.dial.DialPlan}. Pure: chance and times are arguments; it depends on nothing but
 * the language.
 */
@NullMarked
package drover.opsagent.dial;

import org.jspecify.annotations.NullMarked;
