package drover.coordinator.plan.group;

/** Why a group is paused. Shown to people and stored under these names. */
public enum GroupPauseReason {
    /** An operator asked. */
    OPERATOR,
    /** A component failed, and the policy leaves the decision to a person. */
    COMPONENT_FAILED,
    /** A component's rollout paused for another reason than failures. */
    COMPONENT_PAUSED,
    /** The gate found a program unwell, and the policy leaves the decision to a person. */
    GATE_UNHEALTHY,
    /** The gate had no verdict on every program in time (rule R3: silence is not bad). */
    GATE_UNKNOWN,
    /** A component's rollout refused what the group asked of it. */
    COMPONENT_REQUEST_REFUSED
}
