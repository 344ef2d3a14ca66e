/**
 * Check of a cluster from this machine: probes its members with a driver and shows what Drover
 * would decide, without a change. Start with {@link drover.standalone.cluster.ClusterCheck}. The
 * decisions are those of {@code drover.model.cluster}. Knows no command line.
 */
@NullMarked
package drover.standalone.cluster;

import org.jspecify.annotations.NullMarked;
