/**
 * Tests of preflight admission, and assertions on preflight reports. Start with {@link
 * drover.opsagent.preflight.PreflightAdmissionRulesTest}.
 */
@NullMarked
package drover.opsagent.preflight;

import org.jspecify.annotations.NullMarked;
