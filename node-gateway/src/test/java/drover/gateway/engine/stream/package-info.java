/**
 * Tests of the set of changed nodes. Start with {@link
 * drover.gateway.engine.stream.DirtyNodesTest}.
 */
@NullMarked
package drover.gateway.engine.stream;

import org.jspecify.annotations.NullMarked;
