/** Tests of cluster drivers. Start with {@link drover.opsagent.cluster.ExecClusterDriverTest}. */
@NullMarked
package drover.opsagent.cluster;

import org.jspecify.annotations.NullMarked;
