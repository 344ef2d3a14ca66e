/**
 * The manifest-service: what may be installed.
 *
 * <p>Start with {@link drover.manifest.ManifestService}, which assembles the rooms {@code source}
 * (files), {@code check} (decisions), {@code engine} (the catalogue) and {@code api} (gRPC). Calls
 * nobody and has no database.
 */
@NullMarked
package drover.manifest;

import org.jspecify.annotations.NullMarked;
