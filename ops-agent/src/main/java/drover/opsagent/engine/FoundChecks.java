package drover.opsagent.engine;

import drover.model.UpgradeAction;
import drover.opsagent.runtime.Checks;
import drover.opsagent.script.ActionCheck;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What was found so far: for each action the first thing that would make it fail. */
final class FoundChecks implements Checks {
    private final Map<UpgradeAction, Failures> found = new EnumMap<>(UpgradeAction.class);
    private final Deadline deadline;

    FoundChecks(Deadline deadline) {
        this.deadline = deadline;
    }

    @Override
    public void on(UpgradeAction action, Runnable look) {
        if (deadline.hasPassed()) {
            found.putIfAbsent(
                    action,
                    new Failures(
                            ReasonCode.ACTION_TIMED_OUT,
                            "The time for the looks was over before this one: look at what is slow"
                                    + " on the node, then ask again."));
            return;
        }
        try {
            look.run();
        } catch (RuntimeException e) {
            note(action, Failures.of(e));
        }
    }

    /** What keeps several actions from being done is said of the one that was looked at first. */
    private void note(UpgradeAction action, Failures failure) {
        if (!found.containsValue(failure)) {
            found.putIfAbsent(action, failure);
        }
    }

    /** When the looks must be over. */
    Deadline deadline() {
        return deadline;
    }

    /** All eight in their order. */
    List<ActionCheck> all() {
        return Stream.of(UpgradeAction.values()).map(this::check).toList();
    }

    private ActionCheck check(UpgradeAction action) {
        Failures failure = found.get(action);
        return failure == null
                ? ActionCheck.ok(action)
                : new ActionCheck(action, failure.reason(), failure.detail());
    }
}
