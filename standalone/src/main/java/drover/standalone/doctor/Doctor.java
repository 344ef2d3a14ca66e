package drover.standalone.doctor;

import drover.kit.tls.TlsFiles;
import drover.machine.home.DataDirectory;
import drover.machine.home.RunningMesh;
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
    public record Patient(
            DataDirectory data,
            Optional<String> postgres,
            Optional<Path> config,
            int httpPort,
            int grpcPort,
            int agentPort) {}

    /** Everything that was found. */
    public static List<Finding> examine(Patient patient, InstantSource clock) {
        Instant began = clock.instant();
        long beganNanos = System.nanoTime();
        DataDirectory data = patient.data();
        Optional<RunningMesh> mesh = runningOn(data);
        List<Finding> findings = new ArrayList<>(MachineLook.at(data));
        findings.addAll(
                Finding.looking(
                        "database", () -> DatabaseLook.at(data, patient.postgres(), clock)));
        findings.addAll(
                PortLook.at(
                        new PortLook.Wanted(
                                patient.httpPort(), patient.grpcPort(), patient.agentPort()),
                        mesh));
        findings.addAll(
                ConfigLook.at(
                        patient.config().orElseGet(data::config),
                        patient.config().isPresent(),
                        clock));
        mesh.ifPresent(
                _ ->
                        findings.addAll(
                                Finding.looking(
                                        "tls",
                                        () ->
                                                CertificateLook.at(
                                                        TlsFiles.in(data.gatewayIdentity()).chain(),
                                                        clock.instant()))));
        mesh.ifPresent(
                running ->
                        findings.addAll(
                                Finding.looking(
                                        "nodes",
                                        () -> AgentLook.at(running, data, clock.instant()))));
        mesh.ifPresent(
                running ->
                        findings.addAll(
                                Finding.looking("events", () -> EventLook.at(running, data))));
        if (data.exists()) {
            findings.addAll(JournalLook.at(data.existingNodes(), clock.instant()));
        }
        Duration wall = Duration.between(began, clock.instant());
        findings.add(MachineRules.clock(wall.minusNanos(System.nanoTime() - beganNanos)));
        return List.copyOf(findings);
    }

    private static Optional<RunningMesh> runningOn(DataDirectory data) {
        return data.exists() && data.occupant().isPresent()
                ? RunningMesh.read(data.mesh()).filter(mesh -> mesh.grpcPort() > 0)
                : Optional.empty();
    }
}
