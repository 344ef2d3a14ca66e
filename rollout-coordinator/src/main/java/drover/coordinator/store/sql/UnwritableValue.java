package drover.coordinator.store.sql;

import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The database rejected a value: SQL states of class 22 (data exception) and 23 (integrity). The
 * database is available, and nothing of the transaction was written.
 */
public final class UnwritableValue extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Adds what was being done. */
    public UnwritableValue(String doing, Throwable cause) {
        super("The database rejected a value while " + doing, cause);
    }

    /** The failure, if its SQL state is about a value. */
    static Optional<UnwritableValue> of(String doing, Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                        .anyMatch(UnwritableValue::isDataOrConstraintError)
                ? Optional.of(new UnwritableValue(doing, failure))
                : Optional.empty();
    }

    private static boolean isDataOrConstraintError(Throwable failure) {
        String state = failure instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
        return state.startsWith("22") || state.startsWith("23");
    }
}
