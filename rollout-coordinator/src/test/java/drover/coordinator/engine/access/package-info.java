/** Tests of API keys, readiness and the audit of join tokens. */
@NullMarked
package drover.coordinator.engine.access;

import org.jspecify.annotations.NullMarked;
