/**
 * Cluster drivers on a real etcd. Start with {@link drover.system.cluster.EtcdClusterIT}; skipped
 * where there is no etcd.
 */
@NullMarked
package drover.system.cluster;

import org.jspecify.annotations.NullMarked;
