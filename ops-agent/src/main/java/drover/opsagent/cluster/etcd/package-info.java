/**
 * The built-in cluster driver for etcd 3.4 and later, over etcd's JSON gateway. Start with {@link
 * drover.opsagent.cluster.etcd.EtcdClusterDriver}; {@link drover.opsagent.cluster.etcd.EtcdReports}
 * is pure.
 */
@NullMarked
package drover.opsagent.cluster.etcd;

import org.jspecify.annotations.NullMarked;
