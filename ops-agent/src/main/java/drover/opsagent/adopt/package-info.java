/**
 * First installation of a node. Start with {@link drover.opsagent.adopt.NodeInstaller}. Runs before
 * an agent does, never beside one.
 */
@NullMarked
package drover.opsagent.adopt;

import org.jspecify.annotations.NullMarked;
