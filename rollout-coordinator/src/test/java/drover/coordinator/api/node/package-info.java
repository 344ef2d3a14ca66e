/** Tests of label filters, and of nodes in rows of a newer version. */
@NullMarked
package drover.coordinator.api.node;

import org.jspecify.annotations.NullMarked;
