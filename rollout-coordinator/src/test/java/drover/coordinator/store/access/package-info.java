/** Tests of API keys and of the history of join tokens, on PostgreSQL. */
@NullMarked
package drover.coordinator.store.access;

import org.jspecify.annotations.NullMarked;
