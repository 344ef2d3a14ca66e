/** Programs that run, fall, fork and must end: simulated and real. */
@NullMarked
package drover.opsagent.runtime;

import org.jspecify.annotations.NullMarked;
