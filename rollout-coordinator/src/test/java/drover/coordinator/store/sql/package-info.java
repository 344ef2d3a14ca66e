/**
 * Tests of the fence, the schema and JSON columns on PostgreSQL. {@link
 * drover.coordinator.store.sql.TestDatabase} is the database of all tests with a store.
 */
@NullMarked
package drover.coordinator.store.sql;

import org.jspecify.annotations.NullMarked;
