/** Proves that attempts end all-old or all-new, whatever crashes. */
@NullMarked
package drover.opsagent.engine;

import org.jspecify.annotations.NullMarked;
