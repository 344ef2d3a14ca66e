/** Tests of cluster checks. Start with {@link drover.standalone.cluster.ClusterCheckTest}. */
@NullMarked
package drover.standalone.cluster;

import org.jspecify.annotations.NullMarked;
