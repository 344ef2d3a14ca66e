package drover.coordinator.plan.observed;

/**
 * Why a node failed or is waiting.
 *
 * @param code stable code, for example {@code START_FAILED}
 * @param sentence one sentence for a person
 */
public record Cause(String code, String sentence) {}
