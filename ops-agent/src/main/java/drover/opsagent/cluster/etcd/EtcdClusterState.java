package drover.opsagent.cluster.etcd;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * State of a cluster as one member and its node see it.
 *
 * @param own status of the probed member
 * @param statuses by member id, of each member that responds; with the probed one
 * @param inContact ids of the members that completed a linearizable read during the probe: a status
 *     is the member's memory and does not show that its peers are reachable
 */
record EtcdClusterState(
        EtcdStatus own,
        List<EtcdMember> members,
        Map<String, EtcdStatus> statuses,
        Set<String> inContact,
        String clusterVersion) {
    EtcdClusterState {
        members = List.copyOf(members);
        statuses = Map.copyOf(statuses);
        inContact = Set.copyOf(inContact);
    }

    /** The same state with a later status of the probed member. */
    EtcdClusterState withOwn(EtcdStatus later) {
        Map<String, EtcdStatus> latest = new HashMap<>(statuses);
        latest.put(later.memberId(), later);
        return new EtcdClusterState(later, members, latest, inContact, clusterVersion);
    }

    Optional<EtcdMember> ownMember() {
        return members.stream().filter(each -> each.id().equals(own.memberId())).findFirst();
    }

    List<EtcdMember> voters() {
        return members.stream().filter(each -> !each.learner()).toList();
    }

    /**
     * Whether the member is in contact with the quorum, follows the same leader, and has no error
     * by its own report and that of the probed member.
     */
    boolean isHealthy(EtcdMember member) {
        EtcdStatus status = statuses.get(member.id());
        return status != null
                && inContact.contains(member.id())
                && status.clusterId().equals(own.clusterId())
                && own.hasLeader()
                && status.leaderId().equals(own.leaderId())
                && status.errorsOf(member.id()).isEmpty()
                && own.errorsOf(member.id()).isEmpty();
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
