/** Proves what a join token may be, and what it is worth. */
@NullMarked
package drover.gateway.identity;

import org.jspecify.annotations.NullMarked;
