/**
 * The runtime {@code process}: programs as processes that the agent supervises and that outlive it.
 * Start with {@link drover.opsagent.runtime.process.Supervisor}, then {@link
 * drover.opsagent.runtime.process.ProcessRuntime}. {@link
 * drover.opsagent.runtime.process.LinuxProcesses} and {@link
 * drover.opsagent.runtime.process.SimulatedProcesses} implement the process port. Must not depend
 * on {@code engine} or on gateways.
 */
@NullMarked
package drover.opsagent.runtime.process;

import org.jspecify.annotations.NullMarked;
