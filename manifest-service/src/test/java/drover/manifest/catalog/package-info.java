/**
 * Tests of the configuration directory in memory. Start with {@link
 * drover.manifest.catalog.CatalogTest}, then {@link drover.manifest.catalog.HalfWrittenFileTest}.
 */
@NullMarked
package drover.manifest.catalog;

import org.jspecify.annotations.NullMarked;
