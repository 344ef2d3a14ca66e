package drover.model;

/**
 * How an upgrade changes the state that the program keeps, and with it how sure the way back is
 * (seed 000).
 */
public enum MigrationType {
    /** The state is untouched. */
    NONE(1),
    /** The old program can read state that the new one wrote. */
    COMPATIBLE(2),
    /** The old program may not be able to read it. */
    BREAKING(3);

    private final int rollbackTier;

    MigrationType(int rollbackTier) {
        this.rollbackTier = rollbackTier;
    }

    /** The seed's rollback guarantee tier, 1 to 3. */
    public int rollbackTier() {
        return rollbackTier;
    }
}
