package drover.manifest.api;

import com.google.protobuf.Duration;
import drover.agent.v1.ClusterProbe;
import drover.agent.v1.ExecProbe;
import drover.agent.v1.HttpProbe;
import drover.agent.v1.Probe;
import drover.agent.v1.ProcessProbe;
import drover.agent.v1.ProgramSpec;
import drover.agent.v1.TcpProbe;
import drover.manifest.parse.ClusterProbeTemplate;
import drover.manifest.parse.ProbeTemplate;
import drover.manifest.parse.Profile;
import drover.manifest.parse.ProgramTemplate;
import drover.manifest.parse.StandaloneNodeTemplate;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.HealthSettings;
import drover.manifest.v1.InitialProgram;
import drover.model.NodePath;
import drover.model.program.RuntimeName;

/** Converts profiles, as written, into messages. */
final class ProfileProtos {
    private ProfileProtos() {}

    static ChainProfile toProto(Profile profile) {
        ChainProfile.Builder builder =
                ChainProfile.newBuilder()
                        .setId(profile.id().value())
                        .setRuntime(profile.runtime().value())
                        .putAllVariables(profile.variables())
                        .setHealth(
                                HealthSettings.newBuilder()
                                        .setHealthWait(toProto(profile.health().healthWait()))
                                        .setCrashLoopRestarts(profile.health().crashLoopRestarts()))
                        .setContentHash(profile.contentHash().value());
        profile.programs()
                .forEach(program -> builder.addPrograms(toProto(program, profile.runtime())));
        profile.standalone().ifPresent(nodes -> builder.setStandalone(toProto(nodes)));
        return builder.build();
    }

    private static drover.manifest.v1.ProgramSpec toProto(
            ProgramTemplate program, RuntimeName runtime) {
        ProgramSpec.Builder spec =
                ProgramSpec.newBuilder()
                        .setName(program.name().value())
                        .setPath(program.path().value())
                        .setService(program.service())
                        .addAllArguments(program.arguments())
                        .putAllEnvironment(program.environment())
                        .setUser(program.user())
                        .setIdentity(RenderResultProtos.toProto(program.identity()))
                        .setRuntime(runtime.value());
        RenderResultProtos.setStop(spec, program.stop());
        program.probes().forEach(probe -> spec.addProbes(toProto(probe)));
        program.cluster().ifPresent(probe -> spec.setCluster(toProto(probe)));
        drover.manifest.v1.ProgramSpec.Builder builder =
                drover.manifest.v1.ProgramSpec.newBuilder().setSpec(spec);
        program.configs().forEach(change -> builder.addConfigs(ManifestProtos.toProto(change)));
        return builder.build();
    }

    private static ClusterProbe toProto(ClusterProbeTemplate probe) {
        ClusterProbe.Builder builder =
                ClusterProbe.newBuilder()
                        .setDriver(probe.driver())
                        .setEndpoint(probe.endpoint())
                        .setInterval(toProto(probe.interval()));
        probe.caFile().map(NodePath::value).ifPresent(builder::setCaFile);
        probe.certFile().map(NodePath::value).ifPresent(builder::setCertFile);
        probe.keyFile().map(NodePath::value).ifPresent(builder::setKeyFile);
        probe.userFile().map(NodePath::value).ifPresent(builder::setUserFile);
        return builder.build();
    }

    private static Probe toProto(ProbeTemplate probe) {
        Probe.Builder builder =
                Probe.newBuilder()
                        .setName(probe.name())
                        .setInterval(toProto(probe.interval()))
                        .setTimeout(toProto(probe.timeout()))
                        .setGrace(toProto(probe.grace()));
        switch (probe.check()) {
            case ProbeTemplate.Check.ProcessAlive() ->
                    builder.setProcess(ProcessProbe.getDefaultInstance());
            case ProbeTemplate.Check.Tcp(String host, String port) ->
                    builder.setTcp(TcpProbe.newBuilder().setHost(host).setPort(portOrZero(port)));
            case ProbeTemplate.Check.Http(String url, int status, String pointer, String equalTo) ->
                    builder.setHttp(
                            HttpProbe.newBuilder()
                                    .setUrl(url)
                                    .setStatus(status)
                                    .setJsonPointer(pointer)
                                    .setEquals(equalTo));
            case ProbeTemplate.Check.Exec exec ->
                    builder.setExec(ExecProbe.newBuilder().addAllCommand(exec.command()));
        }
        RenderResultProtos.setSignal(builder, probe.sets());
        return builder.build();
    }

    /** 0 while the port is a template: the message has room for a number only. */
    private static int portOrZero(String port) {
        return port.contains("{{") ? 0 : Integer.parseInt(port);
    }

    private static drover.manifest.v1.StandaloneNodes toProto(StandaloneNodeTemplate nodes) {
        drover.manifest.v1.StandaloneNodes.Builder builder =
                drover.manifest.v1.StandaloneNodes.newBuilder()
                        .setNamePrefix(nodes.namePrefix())
                        .setNodeType(nodes.nodeType().value())
                        .putAllLabels(nodes.labels());
        for (StandaloneNodeTemplate.InitialProgram program : nodes.programs()) {
            builder.addPrograms(
                    InitialProgram.newBuilder()
                            .setName(program.name().value())
                            .setVersion(program.version().value())
                            .setUrl(program.url())
                            .setChecksum(program.checksum().value()));
        }
        return builder.build();
    }

    static Duration toProto(java.time.Duration duration) {
        return Duration.newBuilder()
                .setSeconds(duration.getSeconds())
                .setNanos(duration.getNano())
                .build();
    }
}
