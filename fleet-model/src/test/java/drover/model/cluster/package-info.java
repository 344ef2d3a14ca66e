/** Tests of the quorum rules. Start with {@link drover.model.cluster.ClusterAssessmentTest}. */
@NullMarked
package drover.model.cluster;

import org.jspecify.annotations.NullMarked;
