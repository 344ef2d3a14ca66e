/**
 * Tests of a deployment whose processes are killed or whose database is restored. Start with {@link
 * drover.system.failover.StandaloneKillIT}, then {@link drover.system.failover.RestoredDatabaseIT}.
 */
@NullMarked
package drover.system.failover;

import org.jspecify.annotations.NullMarked;
