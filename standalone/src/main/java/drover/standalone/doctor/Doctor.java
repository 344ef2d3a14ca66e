package drover.standalone.doctor;

import drover.kit.tls.TlsFiles;
import drover.localenv.DataDirectory;
import drover.localenv.RunningDeployment;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Looks at everything, in the order in which {@code up} needs it. Nothing that is wrong keeps it
 * from looking on.
 */
public final class Doctor {
    private Doctor() {}

    /**
     * What to look at.
     *
     * @param postgres a database of the operator's; empty: the embedded one
     * @param config empty: the data directory's own
     */
    public record DeploymentToCheck(
            DataDirectory data,
            Optional<String> postgres,
            Optional<Path> config,
            int httpPort,
            int grpcPort,
            int agentPort) {}

    /** Everything that was found. */
    public static List<DoctorFinding> run(DeploymentToCheck target, InstantSource clock) {
        Instant startedAt = clock.instant();
        long startedNanos = System.nanoTime();
        DataDirectory data = target.data();
        Optional<RunningDeployment> deployment = findRunning(data);
        List<DoctorFinding> findings = new ArrayList<>(MachineCheck.run(data));
        findings.addAll(
                DoctorFinding.runCheck(
                        "database",
                        () -> DatabaseCheck.run(data, target.postgres(), deployment, clock)));
        findings.addAll(
                PortCheck.run(
                        new PortCheck.RequiredPorts(
                                target.httpPort(), target.grpcPort(), target.agentPort()),
                        deployment));
        findings.addAll(
                CatalogAndNodesFileCheck.run(
                        target.config().orElseGet(data::config),
                        target.config().isPresent(),
                        clock));
        findings.addAll(
                DoctorFinding.runCheck(
                        "config",
                        () ->
                                InitialArtifactUrlCheck.run(
                                        data, target.config().orElseGet(data::config))));
        deployment.ifPresent(
                _ ->
                        findings.addAll(
                                DoctorFinding.runCheck(
                                        "tls",
                                        () ->
                                                GatewayCertificateExpiryCheck.run(
                                                        TlsFiles.in(data.gatewayIdentity()).chain(),
                                                        clock.instant()))));
        deployment.ifPresent(
                running ->
                        findings.addAll(
                                DoctorFinding.runCheck(
                                        "nodes",
                                        () ->
                                                DeploymentAgentsCheck.run(
                                                        running, data, clock.instant()))));
        deployment.ifPresent(
                running ->
                        findings.addAll(
                                DoctorFinding.runCheck(
                                        "events", () -> EventDeliveryCheck.run(running, data))));
        if (data.isInitialized()) {
            findings.addAll(JournalCheck.run(data.existingNodes(), clock.instant()));
        }
        Duration wall = Duration.between(startedAt, clock.instant());
        findings.add(
                MachineRules.checkClockDrift(wall.minusNanos(System.nanoTime() - startedNanos)));
        return List.copyOf(findings);
    }

    private static Optional<RunningDeployment> findRunning(DataDirectory data) {
        return data.isInitialized() && data.runningProcess().isPresent()
                ? RunningDeployment.read(data.runningDeploymentFile())
                        .filter(deployment -> deployment.grpcPort() > 0)
                : Optional.empty();
    }
}
