/** How nodes are taken in. */
@NullMarked
package drover.opsagent.adopt;

import org.jspecify.annotations.NullMarked;
