/** Files of a node with somebody who wants them elsewhere. */
@NullMarked
package drover.opsagent.disk;

import org.jspecify.annotations.NullMarked;
