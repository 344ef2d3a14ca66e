/** Tests of what an agent shows. */
@NullMarked
package drover.opsagent.metrics;

import org.jspecify.annotations.NullMarked;
