/** Proves what the agent remembers, and for how long. */
@NullMarked
package drover.opsagent.store;

import org.jspecify.annotations.NullMarked;
