package drover.opsagent.cluster.etcd;

import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.PrintableLine;
import drover.model.cluster.ReplicationLag;
import drover.model.cluster.StopSafety;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Translates the state of an etcd cluster into reports and decisions. Pure. */
final class EtcdReports {
    /** Maximum lag in entries; etcd keeps up to 512 messages in flight to a follower. */
    static final long MAX_LAG = 1000;

    private EtcdReports() {}

    /**
     * Report of the probed member.
     *
     * @throws IllegalArgumentException with one sentence if the member list lacks the member
     */
    static ClusterReport toReport(EtcdClusterState state) {
        EtcdStatus own = state.own();
        EtcdMember self =
                state.ownMember()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "etcd's member list lacks the probed member "
                                                        + EtcdMember.hex(own.memberId())
                                                        + "."));
        ClusterRole role = roleOf(state, self);
        long lag = state.lagOf(own.memberId());
        return new ClusterReport(
                EtcdMember.hex(own.clusterId()),
                self.name(),
                role,
                !self.learner(),
                own.term(),
                state.voters().stream().map(EtcdMember::name).toList(),
                state.voters().stream().filter(state::isHealthy).map(EtcdMember::name).toList(),
                new ReplicationLag(Math.max(0, lag), "entries", isCaughtUp(lag)),
                state.clusterVersion(),
                safety(role, own),
                reason(role, own));
    }

    private static ClusterRole roleOf(EtcdClusterState state, EtcdMember self) {
        if (!state.own().hasLeader()) {
            return ClusterRole.UNKNOWN;
        }
        if (self.learner()) {
            return ClusterRole.LEARNER;
        }
        if (state.voters().size() == 1) {
            return ClusterRole.ALONE;
        }
        return state.own().isLeader() ? ClusterRole.LEADER : ClusterRole.FOLLOWER;
    }

    private static StopSafety safety(ClusterRole role, EtcdStatus own) {
        if (!own.errorsOf(own.memberId()).isEmpty() && own.hasLeader()) {
            return StopSafety.NO;
        }
        return role == ClusterRole.UNKNOWN ? StopSafety.UNKNOWN : StopSafety.YES;
    }

    private static String reason(ClusterRole role, EtcdStatus own) {
        List<String> errors = own.errorsOf(own.memberId()).stream().map(String::strip).toList();
        if (!errors.isEmpty()) {
            return PrintableLine.of("etcd reports: " + String.join(", ", errors) + ".");
        }
        return role == ClusterRole.UNKNOWN ? "etcd has no leader." : "";
    }

    /** Voter that can lead next: healthy and caught up, the one with the smallest lag. */
    static Optional<EtcdMember> findNextLeader(EtcdClusterState state) {
        return state.voters().stream()
                .filter(each -> !each.id().equals(state.own().memberId()))
                .filter(each -> canLead(state, each))
                .min(Comparator.comparingLong(each -> state.lagOf(each.id())));
    }

    /**
     * Reason why a snapshot of the probed member might lack acknowledged writes; empty if there is
     * none. A healthy member completed a linearizable read, so it had applied all of them.
     */
    static Optional<String> findSnapshotObstacle(EtcdClusterState state) {
        EtcdStatus own = state.own();
        if (!own.hasLeader()) {
            return Optional.of("etcd has no leader.");
        }
        Optional<EtcdMember> self = state.ownMember();
        if (self.isEmpty() || !state.isHealthy(self.get())) {
            String why = reason(ClusterRole.FOLLOWER, own);
            return Optional.of(
                    why.isEmpty()
                            ? "The member is not in contact with a majority of the voters."
                            : why);
        }
        return isCaughtUp(state.lagOf(own.memberId()))
                ? Optional.empty()
                : Optional.of("The member is not caught up with the leader.");
    }

    static boolean canLead(EtcdClusterState state, EtcdMember member) {
        return state.isHealthy(member) && isCaughtUp(state.lagOf(member.id()));
    }

    private static boolean isCaughtUp(long lag) {
        return lag >= 0 && lag <= MAX_LAG;
    }
}
