package drover.kit.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Where connections to a database come from. Whoever opens one closes it. */
@FunctionalInterface
public interface ConnectionSource {
    /**
     * Opens one.
     *
     * @throws SQLException when the database cannot be reached, or takes no further connection
     */
    Connection open() throws SQLException;
}
