/**
 * The health evaluator: it judges whether upgraded nodes are well, and remembers nothing. Start
 * with {@link drover.evaluator.HealthEvaluator}, which assembles it. Calls gateways and nobody
 * else.
 */
@NullMarked
package drover.evaluator;

import org.jspecify.annotations.NullMarked;
