package drover.opsagent.disk;

import java.nio.file.Path;

/** The disk did not do what it was asked. */
public final class DiskFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean full;

    /**
     * Names what was attempted.
     *
     * @param full whether there was no room
     */
    public DiskFailure(String what, boolean full, Throwable cause) {
        super(what, cause);
        this.full = full;
    }

    /** The same failure; its sentence names another path in place of the first one. */
    DiskFailure withPathInMessage(Path from, Path to) {
        String sentence = String.valueOf(getMessage()).replace(from.toString(), to.toString());
        return new DiskFailure(sentence, full, this);
    }

    /** Whether there was no room. */
    public boolean isFull() {
        return full;
    }
}
