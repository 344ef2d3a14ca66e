/** Downloads from servers that misbehave. */
@NullMarked
package drover.opsagent.fetch;

import org.jspecify.annotations.NullMarked;
