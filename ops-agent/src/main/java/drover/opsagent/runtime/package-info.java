/**
 * How a node's programs are changed and run: the adapter's interface, its process form, and the
 * ports it stands on. Start with {@link drover.opsagent.runtime.NodeRuntime}, then {@link
 * drover.opsagent.runtime.process.Supervisor}. Decides nothing about attempts.
 */
@NullMarked
package drover.opsagent.runtime;

import org.jspecify.annotations.NullMarked;
