package drover.coordinator.plan.model;

import java.util.Set;

/**
 * Failures that a manifest declares in advance: they do not count towards the threshold (seed 003:
 * failures that can be expected should be identified and handled).
 *
 * @param reasons stable codes of failures, for example {@code DISK_FULL}
 * @param atMost so many of them do not count; any more do
 */
public record ExpectedFailureReasons(Set<String> reasons, int atMost) {
    /** None is expected. */
    public static final ExpectedFailureReasons NONE = new ExpectedFailureReasons(Set.of(), 0);

    public ExpectedFailureReasons {
        reasons = Set.copyOf(reasons);
    }

    /**
     * Whether a failure is one of them. What could not be brought back never is: it needs a person.
     */
    boolean covers(NodeState state) {
        return state instanceof NodeState.Failed failed && reasons.contains(failed.cause().code());
    }
}
