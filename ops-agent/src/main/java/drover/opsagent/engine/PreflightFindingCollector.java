package drover.opsagent.engine;

import drover.model.UpgradeAction;
import drover.opsagent.engine.attempt.FailureReasonAndDetail;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.preflight.ActionCheckResult;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.time.Deadline;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What was found so far: for each action the first thing that would make it fail. */
final class PreflightFindingCollector implements PreflightCheckRecorder {
    private final Map<UpgradeAction, FailureReasonAndDetail> found =
            new EnumMap<>(UpgradeAction.class);
    private final Deadline deadline;

    PreflightFindingCollector(Deadline deadline) {
        this.deadline = deadline;
    }

    @Override
    public <T> T evaluate(UpgradeAction action, Supplier<T> check, T ifFailed) {
        if (deadline.hasPassed()) {
            found.putIfAbsent(
                    action,
                    new FailureReasonAndDetail(
                            ReasonCode.ACTION_TIMED_OUT,
                            "The time for the looks was over before this one: look at what is slow"
                                    + " on the node, then ask again."));
            return ifFailed;
        }
        try {
            return check.get();
        } catch (RuntimeException e) {
            recordFirstFailure(action, FailureReasonAndDetail.of(e));
            return ifFailed;
        }
    }

    /** What keeps several actions from being done is said of the one that was looked at first. */
    private void recordFirstFailure(UpgradeAction action, FailureReasonAndDetail failure) {
        if (!found.containsValue(failure)) {
            found.putIfAbsent(action, failure);
        }
    }

    /** When the looks must be over. */
    Deadline deadline() {
        return deadline;
    }

    /** All eight in their order. */
    List<ActionCheckResult> results() {
        return Stream.of(UpgradeAction.values()).map(this::resultOf).toList();
    }

    private ActionCheckResult resultOf(UpgradeAction action) {
        FailureReasonAndDetail failure = found.get(action);
        return failure == null
                ? ActionCheckResult.ok(action)
                : new ActionCheckResult(action, failure.reason(), failure.detail());
    }
}
