/** Proves who is who, and how long. */
@NullMarked
package drover.model.identity;

import org.jspecify.annotations.NullMarked;
