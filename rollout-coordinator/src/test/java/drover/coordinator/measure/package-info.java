/** Tests of what is measured. */
@NullMarked
package drover.coordinator.measure;

import org.jspecify.annotations.NullMarked;
