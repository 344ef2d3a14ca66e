package drover.standalone.fleet;

import drover.model.ApplicationHealth;
import drover.model.NodePath;
import drover.model.SyncStatus;
import drover.model.program.BinaryName;
import drover.model.program.ClusterProbe;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.model.program.StopSignal;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads a rendered program specification. It comes from this mesh's own manifest-service: what does
 * not fit is a bug, not a refusal.
 */
final class ProgramSpecProtoReader {
    private ProgramSpecProtoReader() {}

    static ProgramSpec fromProto(drover.agent.v1.ProgramSpec spec) {
        return new ProgramSpec(
                new BinaryName(spec.getName()),
                spec.getRuntime(),
                new LaunchSpec(
                        new NodePath(spec.getPath()),
                        spec.getService(),
                        spec.getArgumentsList(),
                        spec.getEnvironmentMap(),
                        spec.getUser(),
                        identity(spec),
                        toStopSettings(spec)),
                spec.getProbesList().stream().map(ProgramSpecProtoReader::probe).toList(),
                spec.getProgramWrittenList().stream().map(NodePath::new).toList(),
                spec.hasCluster() ? Optional.of(cluster(spec.getCluster())) : Optional.empty());
    }

    private static ClusterProbe cluster(drover.agent.v1.ClusterProbe probe) {
        return new ClusterProbe(
                probe.getDriver(),
                probe.getEndpoint(),
                duration(probe.getInterval()),
                file(probe.getCaFile()),
                file(probe.getCertFile()),
                file(probe.getKeyFile()),
                file(probe.getUserFile()));
    }

    private static Optional<NodePath> file(String path) {
        return path.isEmpty() ? Optional.empty() : Optional.of(new NodePath(path));
    }

    private static ProgramDigestSource identity(drover.agent.v1.ProgramSpec spec) {
        return switch (spec.getIdentity()) {
            case PROGRAM_IDENTITY_FILE -> ProgramDigestSource.FILE;
            case PROGRAM_IDENTITY_EXE, PROGRAM_IDENTITY_UNSPECIFIED -> ProgramDigestSource.EXE;
            case UNRECOGNIZED -> throw bug("identity", spec.getName());
        };
    }

    private static StopSettings toStopSettings(drover.agent.v1.ProgramSpec spec) {
        drover.agent.v1.StopSettings stop = spec.getStop();
        Optional<StopSignal> signal =
                switch (stop.getSignal()) {
                    case STOP_SIGNAL_UNSPECIFIED -> Optional.empty();
                    case STOP_SIGNAL_TERM -> Optional.of(StopSignal.TERM);
                    case STOP_SIGNAL_INT -> Optional.of(StopSignal.INT);
                    case STOP_SIGNAL_QUIT -> Optional.of(StopSignal.QUIT);
                    case STOP_SIGNAL_HUP -> Optional.of(StopSignal.HUP);
                    case STOP_SIGNAL_USR1 -> Optional.of(StopSignal.USR1);
                    case STOP_SIGNAL_USR2 -> Optional.of(StopSignal.USR2);
                    case UNRECOGNIZED -> throw bug("stop.signal", spec.getName());
                };
        return new StopSettings(
                signal,
                stop.hasTimeout() ? Optional.of(duration(stop.getTimeout())) : Optional.empty());
    }

    private static Probe probe(drover.agent.v1.Probe probe) {
        return new Probe(
                probe.getName(),
                duration(probe.getInterval()),
                duration(probe.getTimeout()),
                duration(probe.getGrace()),
                toCheck(probe),
                signal(probe));
    }

    private static Probe.Check toCheck(drover.agent.v1.Probe probe) {
        return switch (probe.getCheckCase()) {
            case PROCESS -> new Probe.Check.ProcessAlive();
            case TCP -> new Probe.Check.Tcp(probe.getTcp().getHost(), probe.getTcp().getPort());
            case HTTP ->
                    new Probe.Check.Http(
                            probe.getHttp().getUrl(),
                            probe.getHttp().getStatus(),
                            probe.getHttp().getJsonPointer(),
                            probe.getHttp().getEquals());
            case EXEC -> new Probe.Check.Exec(probe.getExec().getCommandList());
            case CHECK_NOT_SET -> throw bug("check", probe.getName());
        };
    }

    private static Probe.StatusWhileFailing signal(drover.agent.v1.Probe probe) {
        return switch (probe.getSetsCase()) {
            case APPLICATION_HEALTH ->
                    new Probe.StatusWhileFailing.HealthWhileFailing(
                            switch (probe.getApplicationHealth()) {
                                case APPLICATION_HEALTH_DEGRADED -> ApplicationHealth.DEGRADED;
                                case APPLICATION_HEALTH_CRITICAL -> ApplicationHealth.CRITICAL;
                                case APPLICATION_HEALTH_OK,
                                        APPLICATION_HEALTH_UNSPECIFIED,
                                        UNRECOGNIZED ->
                                        throw bug("application_health", probe.getName());
                            });
            case SYNC_STATUS ->
                    new Probe.StatusWhileFailing.SyncStatusWhileFailing(
                            switch (probe.getSyncStatus()) {
                                case SYNC_STATUS_SYNCING -> SyncStatus.SYNCING;
                                case SYNC_STATUS_STALLED -> SyncStatus.STALLED;
                                case SYNC_STATUS_SYNCED, SYNC_STATUS_UNSPECIFIED, UNRECOGNIZED ->
                                        throw bug("sync_status", probe.getName());
                            });
            case SETS_NOT_SET -> throw bug("sets", probe.getName());
        };
    }

    private static Duration duration(com.google.protobuf.Duration duration) {
        return Duration.ofSeconds(duration.getSeconds(), duration.getNanos());
    }

    private static IllegalStateException bug(String field, String name) {
        return new IllegalStateException("Rendered without a known " + field + ": " + name);
    }
}
