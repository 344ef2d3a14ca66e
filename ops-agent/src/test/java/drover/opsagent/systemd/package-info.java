/** Proves what the agent remembers, and for how long. */
@NullMarked
package drover.opsagent.systemd;

import org.jspecify.annotations.NullMarked;
