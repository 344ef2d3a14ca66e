/**
 * Connections to a service's database, lent to as many virtual threads as there are. Start with
 * {@link drover.kit.database.ConnectionPool}. Knows no schema.
 */
@NullMarked
package drover.kit.database;

import org.jspecify.annotations.NullMarked;
