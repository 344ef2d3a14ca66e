/** Tests of how the gateway reads agent messages. */
@NullMarked
package drover.gateway.api;

import org.jspecify.annotations.NullMarked;
