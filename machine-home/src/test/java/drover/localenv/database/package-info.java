/**
 * Tests of the embedded PostgreSQL and of database addresses. Start with {@link
 * drover.localenv.database.EmbeddedOrExternalDatabaseIT}.
 */
@NullMarked
package drover.localenv.database;

import org.jspecify.annotations.NullMarked;
