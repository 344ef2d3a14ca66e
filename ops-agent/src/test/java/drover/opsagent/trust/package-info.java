/** Work that the gates of a node refuse. */
@NullMarked
package drover.opsagent.trust;

import org.jspecify.annotations.NullMarked;
