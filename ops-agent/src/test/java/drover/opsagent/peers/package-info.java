/** Tests of what is read from a gateway. */
@NullMarked
package drover.opsagent.peers;

import org.jspecify.annotations.NullMarked;
