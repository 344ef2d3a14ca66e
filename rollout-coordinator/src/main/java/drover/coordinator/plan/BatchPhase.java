package drover.coordinator.plan;

/** Where a batch stands. */
public enum BatchPhase {
    /** Its turn has not come. */
    PENDING,
    /** Its nodes are being given their work. */
    DISPATCHING,
    /** Its nodes are at work or settling. */
    SETTLING,
    /** The canary is well and is being observed. */
    OBSERVING,
    /** The canary is proven; a person must approve the rest. */
    AWAITING_APPROVAL,
    /** Its gate has passed and the next may start. Never taken back. */
    PROMOTED
}
