/** Tests of who a node is. */
@NullMarked
package drover.opsagent.identity;

import org.jspecify.annotations.NullMarked;
