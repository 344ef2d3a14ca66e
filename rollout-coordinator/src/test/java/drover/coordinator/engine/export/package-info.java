/** Tests of event delivery, span export, retention and audit verification. */
@NullMarked
package drover.coordinator.engine.export;

import org.jspecify.annotations.NullMarked;
