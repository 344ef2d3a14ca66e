package drover.opsagent.cluster.etcd;

import drover.opsagent.cluster.VerbResult;
import java.util.List;
import java.util.Optional;

/** Decision of a step-down before the request to etcd. Pure. */
sealed interface StepDownChoice {
    /** Leadership is to be transferred to this member. */
    record Transfer(EtcdMember target) implements StepDownChoice {}

    /** No transfer is needed or possible. */
    record Finished(VerbResult result) implements StepDownChoice {}

    /** Chooses the healthy voter with the smallest lag. */
    static StepDownChoice chooseBest(EtcdClusterState state) {
        return findObstacle(state)
                .orElseGet(
                        () ->
                                EtcdReports.findNextLeader(state)
                                        .<StepDownChoice>map(Transfer::new)
                                        .orElseGet(
                                                () ->
                                                        new Finished(
                                                                VerbResult.notNow(
                                                                        "No other voter is healthy"
                                                                                + " and caught"
                                                                                + " up."))));
    }

    /** Checks a target that the caller chose. */
    static StepDownChoice chooseNamed(EtcdClusterState state, String name) {
        List<EtcdMember> named =
                state.voters().stream().filter(each -> each.name().equals(name)).toList();
        if (named.isEmpty()) {
            return new Finished(VerbResult.never(name + " is no voter of the cluster."));
        }
        EtcdMember target = named.getFirst();
        if (state.own().hasLeader() && state.own().leaderId().equals(target.id())) {
            return new Finished(VerbResult.already(name + " leads already."));
        }
        return findObstacle(state)
                .orElseGet(
                        () ->
                                EtcdReports.canLead(state, target)
                                        ? new Transfer(target)
                                        : new Finished(
                                                VerbResult.notNow(
                                                        name
                                                                + " is not healthy or not caught"
                                                                + " up.")));
    }

    private static Optional<StepDownChoice> findObstacle(EtcdClusterState state) {
        if (!state.own().hasLeader()) {
            return Optional.of(new Finished(VerbResult.notNow("etcd has no leader.")));
        }
        if (state.voters().size() == 1) {
            return Optional.of(
                    new Finished(VerbResult.never("The only voter cannot transfer leadership.")));
        }
        return state.own().isLeader()
                ? Optional.empty()
                : Optional.of(new Finished(VerbResult.already("The member does not lead.")));
    }
}
