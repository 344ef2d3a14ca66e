/**
 * Tests of the runtime {@code process}. Start with {@link
 * drover.opsagent.runtime.process.SupervisorTest}, then {@link
 * drover.opsagent.runtime.process.ProcessContractTest}.
 */
@NullMarked
package drover.opsagent.runtime.process;

import org.jspecify.annotations.NullMarked;
