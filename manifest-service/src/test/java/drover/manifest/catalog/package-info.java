/**
 * Tests of the configuration directory in memory. Start with {@link
 * drover.manifest.catalog.CatalogFileCacheTest}, then {@link
 * drover.manifest.catalog.HalfWrittenFileTest}.
 */
@NullMarked
package drover.manifest.catalog;

import org.jspecify.annotations.NullMarked;
