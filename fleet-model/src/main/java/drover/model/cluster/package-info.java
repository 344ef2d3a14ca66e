/**
 * Quorum rules for upgrades of clusters: the report of one member, the verdict on the whole
 * cluster, the members that may be stopped now, and the upgrade order. Start with {@link
 * drover.model.cluster.ClusterAssessment}, then {@link drover.model.cluster.ClusterReport}. Pure:
 * no clock, no threads, no I/O. Must depend on nothing but the language.
 */
@NullMarked
package drover.model.cluster;

import org.jspecify.annotations.NullMarked;
