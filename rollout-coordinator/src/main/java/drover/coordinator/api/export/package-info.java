/**
 * gRPC services for events, dead letters and the audit of the history. Start with {@link
 * drover.coordinator.api.export.EventGrpcService} and {@link
 * drover.coordinator.api.export.AuditGrpcService}. Both read stores only through their {@code
 * *Views}. The package makes no decisions and contains no SQL.
 */
@NullMarked
package drover.coordinator.api.export;

import org.jspecify.annotations.NullMarked;
