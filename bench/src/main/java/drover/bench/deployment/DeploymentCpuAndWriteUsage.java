package drover.bench.deployment;

import java.time.Duration;

/**
 * What the mesh has used up to a moment, or between two.
 *
 * @param time on the clock
 * @param coordinator processor time of the coordinator
 * @param gateway that of the gateway
 * @param postgres that of PostgreSQL, all its processes together
 * @param agents that of all agents together
 * @param writes transactions that wrote something, of all services together
 * @param walBytes what PostgreSQL wrote into its log
 */
public record DeploymentCpuAndWriteUsage(
        Duration time,
        Duration coordinator,
        Duration gateway,
        Duration postgres,
        Duration agents,
        long writes,
        long walBytes) {
    /** What was used since. */
    public DeploymentCpuAndWriteUsage since(DeploymentCpuAndWriteUsage earlier) {
        return new DeploymentCpuAndWriteUsage(
                time.minus(earlier.time),
                coordinator.minus(earlier.coordinator),
                gateway.minus(earlier.gateway),
                postgres.minus(earlier.postgres),
                agents.minus(earlier.agents),
                writes - earlier.writes,
                walBytes - earlier.walBytes);
    }

    /** The control plane's own processor time. */
    public Duration controlPlaneCpu() {
        return coordinator.plus(gateway).plus(postgres);
    }
}
