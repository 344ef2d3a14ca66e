package drover.model.cluster;

/** Decision on whether a member may be stopped now, with one sentence. */
public sealed interface StopDecision {
    /** Reason, for operators. */
    String sentence();

    /** The member may be stopped. */
    record Allowed(String sentence) implements StopDecision {}

    /** The member must not be stopped now; a later assessment may allow it. */
    record NotNow(String sentence) implements StopDecision {}

    /** Stopping the member interrupts the service; an operator must confirm it. */
    record NeedsConfirmation(String sentence) implements StopDecision {}
}
