/**
 * Faults of a deployment: a plan drawn from a seed, and the proxies that carry it out on
 * connections. Start with {@link drover.system.fault.FaultPlan}, then {@link
 * drover.system.fault.FaultProxy}. {@code drover.system.failover} executes the plan. Must not
 * depend on that package.
 */
@NullMarked
package drover.system.fault;

import org.jspecify.annotations.NullMarked;
