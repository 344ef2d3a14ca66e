/**
 * The node's disk: a small port, the real one, a double that loses what was not synced, and the
 * durable operations built on either. Start with {@link drover.opsagent.disk.DurableFiles}. Knows
 * nothing of attempts or programs.
 */
@NullMarked
package drover.opsagent.disk;

import org.jspecify.annotations.NullMarked;
