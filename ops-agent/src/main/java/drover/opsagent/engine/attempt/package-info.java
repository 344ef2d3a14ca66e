/**
 * Runs one attempt to its end, whatever it upgrades: the loop, the durable journal of each step,
 * and the removal of what ended attempts left.
 */
@NullMarked
package drover.opsagent.engine.attempt;

import org.jspecify.annotations.NullMarked;
