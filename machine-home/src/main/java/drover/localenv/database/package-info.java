/**
 * Database of a local deployment: an embedded PostgreSQL in the data directory, or an external one
 * that the operator names. Start with {@link drover.localenv.database.EmbeddedOrExternalDatabase},
 * then {@link drover.localenv.database.EmbeddedPostgres}. Must not depend on a schema or a service.
 */
@NullMarked
package drover.localenv.database;

import org.jspecify.annotations.NullMarked;
