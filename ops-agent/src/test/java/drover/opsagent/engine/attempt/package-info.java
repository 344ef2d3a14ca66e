/** Proves what an attempt reports and leaves behind. */
@NullMarked
package drover.opsagent.engine.attempt;

import org.jspecify.annotations.NullMarked;
