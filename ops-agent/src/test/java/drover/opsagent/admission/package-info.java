/** Tests of command admission. Start with {@link drover.opsagent.admission.AdmissionRulesTest}. */
@NullMarked
package drover.opsagent.admission;

import org.jspecify.annotations.NullMarked;
