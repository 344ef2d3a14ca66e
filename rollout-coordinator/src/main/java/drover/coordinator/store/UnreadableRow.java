package drover.coordinator.store;

/**
 * A row holds what this version cannot read, because a later one wrote it. It is left as it is: who
 * knows what it says goes on with it.
 */
public final class UnreadableRow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableRow(Throwable cause) {
        super("a later version wrote it; upgrade the coordinators: " + cause.getMessage(), cause);
    }
}
