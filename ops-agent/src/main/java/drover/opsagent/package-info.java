/**
 * The ops-agent, assembled. Start with {@link drover.opsagent.OpsAgent}; what it decides is in
 * {@code script}, what it does in {@code engine}. May depend on every room below it.
 */
@NullMarked
package drover.opsagent;

import org.jspecify.annotations.NullMarked;
