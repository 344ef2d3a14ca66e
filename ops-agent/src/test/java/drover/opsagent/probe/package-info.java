/** Probes against real targets. */
@NullMarked
package drover.opsagent.probe;

import org.jspecify.annotations.NullMarked;
