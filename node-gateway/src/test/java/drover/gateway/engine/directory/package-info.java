/**
 * Tests of the list of nodes and of inventory writes. Start with {@link
 * drover.gateway.engine.directory.StoredNodeDirectoryTest}.
 */
@NullMarked
package drover.gateway.engine.directory;

import org.jspecify.annotations.NullMarked;
