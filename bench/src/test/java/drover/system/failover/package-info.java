/**
 * Failover and fault injection tests on a replicated deployment of real processes. Start with
 * {@link drover.system.failover.FaultInjectionIT}, then {@link
 * drover.system.failover.ReplicatedDeployment} and {@link drover.system.failover.ConsistencyCheck}.
 * Must not depend on {@code drover.standalone}.
 */
@NullMarked
package drover.system.failover;

import org.jspecify.annotations.NullMarked;
