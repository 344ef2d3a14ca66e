/**
 * Keeps what the configuration directory says in memory and up to date.
 *
 * <p>Start with {@link drover.manifest.engine.Catalogue}; {@link drover.manifest.engine.FileState}
 * decides what a changed file means; {@code RescanLoop} wakes it. May depend on {@code check} and
 * {@code source}; knows nothing of gRPC.
 */
@NullMarked
package drover.manifest.engine;

import org.jspecify.annotations.NullMarked;
