/**
 * Cluster drivers: programs and adapters that report the state of a clustered program and transfer
 * its leadership (contract {@code drover-cluster/1}, docs/cluster-drivers.md). Start with {@link
 * drover.opsagent.cluster.ClusterDriver}. Knows nothing of attempts; the quorum is decided by
 * {@link drover.model.cluster.ClusterAssessment}.
 */
@NullMarked
package drover.opsagent.cluster;

import org.jspecify.annotations.NullMarked;
