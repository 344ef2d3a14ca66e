package drover.coordinator.store.sql;

/**
 * A row holds what this version cannot read, because a later one wrote it. It is left as it is: who
 * knows what it says goes on with it.
 */
public final class UnreadableRow extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Of a row that whoever reads it has not named yet. */
    private static final String UNNAMED = "";

    private final String row;

    UnreadableRow(Throwable cause) {
        this(UNNAMED, cause);
    }

    public UnreadableRow(String row, Throwable cause) {
        super(
                "A later version wrote "
                        + (row.isEmpty() ? "what is read here" : row)
                        + "; upgrade the coordinators: "
                        + cause.getMessage(),
                cause);
        this.row = row;
    }

    /** What was read, such as {@code rollout 0198…}. */
    public String rowName() {
        return row.isEmpty() ? "this" : row;
    }

    /** What is read out of a row. */
    public interface RowReader<T, E extends Exception> {
        T read() throws E;
    }

    /** Reads a row, and names it when it cannot be read. */
    public static <T, E extends Exception> T readRow(String row, RowReader<T, E> reading) throws E {
        try {
            return reading.read();
        } catch (UnreadableRow e) {
            throw e.row.isEmpty() ? new UnreadableRow(row, e.causeOrThis()) : e;
        }
    }

    private Throwable causeOrThis() {
        Throwable cause = getCause();
        return cause == null ? this : cause;
    }
}
