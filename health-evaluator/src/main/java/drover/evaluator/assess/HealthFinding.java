package drover.evaluator.assess;

/**
 * One reason of a verdict.
 *
 * @param sentence for a person
 */
public record HealthFinding(HealthFindingCode code, String sentence) {}
