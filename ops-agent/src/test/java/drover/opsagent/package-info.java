/** The assembled agent, against a gateway that follows a script. */
@NullMarked
package drover.opsagent;

import org.jspecify.annotations.NullMarked;
