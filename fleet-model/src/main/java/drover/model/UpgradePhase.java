package drover.model;

/**
 * How far an upgrade of a node is, as shown to people; derived from the action under way (seed 000,
 * Phase Reporting).
 */
public enum UpgradePhase {
    /** Backing up, downloading, verifying; the program still runs untouched. */
    PREPARING,
    /** The program is being stopped. */
    STOPPED,
    /** Files are being replaced. */
    MUTATING,
    /** The program is being started. */
    STARTING,
    /** All actions are done; health must hold. */
    VERIFYING,
    /** The old version is being brought back. */
    COMPENSATING
}
