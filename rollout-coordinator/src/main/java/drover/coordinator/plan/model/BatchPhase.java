package drover.coordinator.plan.model;

import java.util.EnumSet;
import java.util.Set;

/** Where a batch stands, and where it may stand next. */
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
    /** A person approved, and nobody beyond the canary has work: it can still be taken back. */
    APPROVED,
    /** Its gate has passed and the next may start. Never taken back. */
    PROMOTED;

    /**
     * The phases that may follow: the table that docs/diagrams/batch.mmd is drawn from. Phases may
     * be passed over, for what happens within one step is one move; a node that is tried again
     * takes its batch back to the work it needs.
     */
    public Set<BatchPhase> next() {
        return switch (this) {
            case PENDING -> EnumSet.of(DISPATCHING, SETTLING, PROMOTED);
            case DISPATCHING -> EnumSet.of(SETTLING, OBSERVING, AWAITING_APPROVAL, PROMOTED);
            case SETTLING -> EnumSet.of(DISPATCHING, OBSERVING, AWAITING_APPROVAL, PROMOTED);
            case OBSERVING -> EnumSet.of(DISPATCHING, SETTLING, AWAITING_APPROVAL, PROMOTED);
            case AWAITING_APPROVAL -> EnumSet.of(DISPATCHING, SETTLING, APPROVED);
            case APPROVED -> EnumSet.of(DISPATCHING, SETTLING, AWAITING_APPROVAL, PROMOTED);
            case PROMOTED -> EnumSet.noneOf(BatchPhase.class);
        };
    }
}
