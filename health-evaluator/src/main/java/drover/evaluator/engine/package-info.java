/**
 * What the evaluator does: it keeps the latest heartbeat of each watched node and says a verdict
 * whenever one changes. Start with {@link drover.evaluator.engine.WatchSession}. Must not know
 * generated messages; remembers nothing when it ends.
 */
@NullMarked
package drover.evaluator.engine;

import org.jspecify.annotations.NullMarked;
