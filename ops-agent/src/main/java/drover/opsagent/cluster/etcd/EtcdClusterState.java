package drover.opsagent.cluster.etcd;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * State of a cluster as one member and its node see it.
 *
 * @param own status of the probed member
 * @param statuses by member id, of each member that responds; with the probed one
 */
record EtcdClusterState(
        EtcdStatus own,
        List<EtcdMember> members,
        Map<String, EtcdStatus> statuses,
        String clusterVersion) {
    EtcdClusterState {
        members = List.copyOf(members);
        statuses = Map.copyOf(statuses);
    }

    Optional<EtcdMember> ownMember() {
        return members.stream().filter(each -> each.id().equals(own.memberId())).findFirst();
    }

    List<EtcdMember> voters() {
        return members.stream().filter(each -> !each.learner()).toList();
    }

    /** Whether the member responds without errors and follows the same leader. */
    boolean isHealthy(EtcdMember member) {
        EtcdStatus status = statuses.get(member.id());
        return status != null
                && status.clusterId().equals(own.clusterId())
                && own.hasLeader()
                && status.leaderId().equals(own.leaderId())
                && status.errors().isEmpty();
    }

    /** Entries that the member has not applied yet; -1 if the leader does not respond. */
    long lagOf(String memberId) {
        EtcdStatus leader = statuses.get(own.leaderId());
        EtcdStatus status = statuses.get(memberId);
        return leader == null || status == null
                ? -1
                : Math.max(0, leader.raftIndex() - status.appliedIndex());
    }
}
