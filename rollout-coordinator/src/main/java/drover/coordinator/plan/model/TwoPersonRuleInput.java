package drover.coordinator.plan.model;

/**
 * What decides whether a second person is needed, frozen at creation.
 *
 * @param createdBy who created the rollout; empty when that is not known
 * @param chainNodes nodes that were registered for its chain; 0 when nobody counted, because it
 *     begins with few
 */
public record TwoPersonRuleInput(String createdBy, int chainNodes) {
    /** Nobody and nothing is known. */
    public static final TwoPersonRuleInput NONE = new TwoPersonRuleInput("", 0);
}
