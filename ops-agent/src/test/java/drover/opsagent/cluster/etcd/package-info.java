/**
 * Tests of the etcd driver without etcd. Start with {@link
 * drover.opsagent.cluster.etcd.EtcdReportsTest}.
 */
@NullMarked
package drover.opsagent.cluster.etcd;

import org.jspecify.annotations.NullMarked;
