/**
 * The configuration directory in memory, kept up to date.
 *
 * <p>Start with {@link drover.manifest.catalog.CatalogFileCache}. {@link
 * drover.manifest.catalog.FileWithLastValidContent} decides what a changed file means, and {@link
 * drover.manifest.catalog.RescanLoop} scans the directory periodically. May depend on {@code
 * document}, {@code parse} and {@code source}; must not depend on {@code render} or gRPC.
 */
@NullMarked
package drover.manifest.catalog;

import org.jspecify.annotations.NullMarked;
