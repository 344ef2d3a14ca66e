/** Tests of the agent's own versions. */
@NullMarked
package drover.opsagent.own;

import org.jspecify.annotations.NullMarked;
