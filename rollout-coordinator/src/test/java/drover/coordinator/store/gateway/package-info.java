/** Tests of the tables that gateways write, on PostgreSQL. */
@NullMarked
package drover.coordinator.store.gateway;

import org.jspecify.annotations.NullMarked;
