/**
 * The mesh's database: PostgreSQL in a directory of its own, or one that the operator names. Start
 * with {@link drover.machine.database.Database}. Knows no schema and no service.
 */
@NullMarked
package drover.machine.database;

import org.jspecify.annotations.NullMarked;
