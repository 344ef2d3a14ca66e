/** The pure rules of an attempt. */
@NullMarked
package drover.opsagent.script;

import org.jspecify.annotations.NullMarked;
