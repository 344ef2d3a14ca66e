/** Proves what an authority signs, and what it does not take from a request. */
@NullMarked
package drover.kit.authority;

import org.jspecify.annotations.NullMarked;
