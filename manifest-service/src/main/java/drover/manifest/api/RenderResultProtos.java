package drover.manifest.api;

import com.google.protobuf.ByteString;
import drover.agent.v1.ApplicationHealth;
import drover.agent.v1.ClusterProbe;
import drover.agent.v1.Content;
import drover.agent.v1.ExecProbe;
import drover.agent.v1.HttpProbe;
import drover.agent.v1.Probe;
import drover.agent.v1.ProcessProbe;
import drover.agent.v1.ProgramIdentity;
import drover.agent.v1.ProgramSpec;
import drover.agent.v1.RenderedFile;
import drover.agent.v1.StopSettings;
import drover.agent.v1.StopSignal;
import drover.agent.v1.SyncStatus;
import drover.agent.v1.TcpProbe;
import drover.manifest.render.RenderOutcome;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderedNode;
import drover.model.NodePath;

/** Converts what was rendered into messages. */
final class RenderResultProtos {
    private RenderResultProtos() {}

    static RenderConfigsResponse toProto(RenderOutcome.Rendered rendered) {
        RenderConfigsResponse.Builder response = RenderConfigsResponse.newBuilder();
        rendered.nodes().forEach(node -> response.addNodes(toProto(node)));
        rendered.contents()
                .forEach(
                        (digest, bytes) ->
                                response.addContents(
                                        Content.newBuilder()
                                                .setDigest(digest.value())
                                                .setData(ByteString.copyFrom(bytes))));
        return response.build();
    }

    private static RenderedNode toProto(RenderOutcome.RenderedNode node) {
        RenderedNode.Builder builder =
                RenderedNode.newBuilder()
                        .setNodeId(node.id().value())
                        .setProgram(toProto(node.program()))
                        .setLaunchDigest(node.program().launch().digest().value());
        node.files()
                .forEach(
                        (path, file) ->
                                builder.addFiles(
                                        RenderedFile.newBuilder()
                                                .setPath(path.value())
                                                .setDigest(file.digest().value())
                                                .setSize(file.size())));
        return builder.build();
    }

    private static ProgramSpec toProto(drover.model.program.ProgramSpec program) {
        drover.model.program.LaunchSpec launch = program.launch();
        ProgramSpec.Builder builder =
                ProgramSpec.newBuilder()
                        .setName(program.name().value())
                        .setPath(launch.path().value())
                        .setService(launch.service())
                        .addAllArguments(launch.arguments())
                        .putAllEnvironment(launch.environment())
                        .setUser(launch.user())
                        .setIdentity(toProto(launch.identity()))
                        .setRuntime(program.runtime());
        setStop(builder, launch.stop());
        program.probes().forEach(probe -> builder.addProbes(toProto(probe)));
        program.programWritten().forEach(path -> builder.addProgramWritten(path.value()));
        program.cluster().ifPresent(probe -> builder.setCluster(toProto(probe)));
        return builder.build();
    }

    private static ClusterProbe toProto(drover.model.program.ClusterProbe probe) {
        ClusterProbe.Builder builder =
                ClusterProbe.newBuilder()
                        .setDriver(probe.driver())
                        .setEndpoint(probe.endpoint())
                        .setInterval(ProfileProtos.toProto(probe.interval()));
        probe.caFile().map(NodePath::value).ifPresent(builder::setCaFile);
        probe.certFile().map(NodePath::value).ifPresent(builder::setCertFile);
        probe.keyFile().map(NodePath::value).ifPresent(builder::setKeyFile);
        probe.userFile().map(NodePath::value).ifPresent(builder::setUserFile);
        return builder.build();
    }

    /** Sets nothing where the runtime decides. */
    static void setStop(ProgramSpec.Builder program, drover.model.program.StopSettings stop) {
        if (stop.equals(drover.model.program.StopSettings.RUNTIME_DEFAULT)) {
            return;
        }
        StopSettings.Builder settings = StopSettings.newBuilder();
        stop.signal().ifPresent(signal -> settings.setSignal(toProto(signal)));
        stop.timeout().ifPresent(timeout -> settings.setTimeout(ProfileProtos.toProto(timeout)));
        program.setStop(settings);
    }

    private static StopSignal toProto(drover.model.program.StopSignal signal) {
        return switch (signal) {
            case TERM -> StopSignal.STOP_SIGNAL_TERM;
            case INT -> StopSignal.STOP_SIGNAL_INT;
            case QUIT -> StopSignal.STOP_SIGNAL_QUIT;
            case HUP -> StopSignal.STOP_SIGNAL_HUP;
            case USR1 -> StopSignal.STOP_SIGNAL_USR1;
            case USR2 -> StopSignal.STOP_SIGNAL_USR2;
        };
    }

    static ProgramIdentity toProto(drover.model.program.ProgramDigestSource identity) {
        return switch (identity) {
            case EXE -> ProgramIdentity.PROGRAM_IDENTITY_EXE;
            case FILE -> ProgramIdentity.PROGRAM_IDENTITY_FILE;
        };
    }

    private static Probe toProto(drover.model.program.Probe probe) {
        Probe.Builder builder =
                Probe.newBuilder()
                        .setName(probe.name())
                        .setInterval(ProfileProtos.toProto(probe.interval()))
                        .setTimeout(ProfileProtos.toProto(probe.timeout()))
                        .setGrace(ProfileProtos.toProto(probe.grace()));
        switch (probe.check()) {
            case drover.model.program.Probe.Check.ProcessAlive() ->
                    builder.setProcess(ProcessProbe.getDefaultInstance());
            case drover.model.program.Probe.Check.Tcp(String host, int port) ->
                    builder.setTcp(TcpProbe.newBuilder().setHost(host).setPort(port));
            case drover.model.program.Probe.Check.Http(
                            String url,
                            int status,
                            String pointer,
                            String equalTo) ->
                    builder.setHttp(
                            HttpProbe.newBuilder()
                                    .setUrl(url)
                                    .setStatus(status)
                                    .setJsonPointer(pointer)
                                    .setEquals(equalTo));
            case drover.model.program.Probe.Check.Exec exec ->
                    builder.setExec(ExecProbe.newBuilder().addAllCommand(exec.command()));
        }
        setSignal(builder, probe.sets());
        return builder.build();
    }

    static void setSignal(
            Probe.Builder builder, drover.model.program.Probe.StatusWhileFailing signal) {
        switch (signal) {
            case drover.model.program.Probe.StatusWhileFailing.HealthWhileFailing(
                            drover.model.ApplicationHealth health) ->
                    builder.setApplicationHealth(toProto(health));
            case drover.model.program.Probe.StatusWhileFailing.SyncStatusWhileFailing(
                            drover.model.SyncStatus status) ->
                    builder.setSyncStatus(toProto(status));
        }
    }

    private static ApplicationHealth toProto(drover.model.ApplicationHealth health) {
        return switch (health) {
            case UNKNOWN -> ApplicationHealth.APPLICATION_HEALTH_UNSPECIFIED;
            case OK -> ApplicationHealth.APPLICATION_HEALTH_OK;
            case DEGRADED -> ApplicationHealth.APPLICATION_HEALTH_DEGRADED;
            case CRITICAL -> ApplicationHealth.APPLICATION_HEALTH_CRITICAL;
        };
    }

    private static SyncStatus toProto(drover.model.SyncStatus status) {
        return switch (status) {
            case UNKNOWN -> SyncStatus.SYNC_STATUS_UNSPECIFIED;
            case SYNCED -> SyncStatus.SYNC_STATUS_SYNCED;
            case SYNCING -> SyncStatus.SYNC_STATUS_SYNCING;
            case STALLED -> SyncStatus.SYNC_STATUS_STALLED;
        };
    }
}
