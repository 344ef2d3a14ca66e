package drover.standalone.simulation;

import drover.agent.v1.ProgramIdentity;
import drover.coordinator.peers.ManifestLink;
import drover.model.ApplicationHealth;
import drover.model.BinaryName;
import drover.model.ChainProfileId;
import drover.model.ConfigDigest;
import drover.model.Digest;
import drover.model.LaunchSpec;
import drover.model.NodePath;
import drover.model.Probe;
import drover.model.ProgramSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The versions there are of the one program: what its file, its configuration and its launch say
 * all name the version, so that a mixture is seen at once. Answers as manifest-service does.
 */
final class Releases implements ManifestLink {
    static final BinaryName APP = new BinaryName("app");
    static final NodePath PROGRAM = new NodePath("/bin/app");
    static final NodePath CONFIG = new NodePath("/etc/app.toml");
    static final Duration HEALTH_WAIT = Duration.ofSeconds(10);

    private static final Duration PROBE_EVERY = Duration.ofSeconds(2);

    static String version(int number) {
        return "v" + number;
    }

    /** The last version is the one before with another configuration alone (A14). */
    static byte[] program(int number) {
        int own = number == World.RELEASES ? number - 1 : number;
        return ("program " + version(own)).getBytes(StandardCharsets.UTF_8);
    }

    static Digest digest(int number) {
        return Digest.of(program(number));
    }

    /** What a node of this version says of its configuration. */
    static Digest configDigest(int number) {
        return ConfigDigest.of(
                Map.of(CONFIG, Digest.of(config(number))), spec(number).launch().digest());
    }

    static String url(int number) {
        return "http://artifacts.example/app-" + number;
    }

    static String config(int number) {
        return "version = \"" + version(number) + "\"\n";
    }

    /** Every artifact, by address. */
    static Map<String, byte[]> artifacts(int most) {
        Map<String, byte[]> all = new HashMap<>();
        for (int number = 1; number <= most; number++) {
            all.put(url(number), program(number));
        }
        return all;
    }

    static ProgramSpec spec(int number) {
        return new ProgramSpec(
                APP,
                "simulated",
                new LaunchSpec(
                        PROGRAM,
                        "",
                        List.of(),
                        Map.of("VERSION", version(number)),
                        "",
                        drover.model.ProgramIdentity.EXE),
                List.of(
                        new Probe(
                                "alive",
                                PROBE_EVERY,
                                Duration.ofSeconds(1),
                                Duration.ZERO,
                                new Probe.Check.ProcessAlive(),
                                new Probe.Signal.Health(ApplicationHealth.CRITICAL))));
    }

    private static drover.agent.v1.ProgramSpec proto(int number) {
        return drover.agent.v1.ProgramSpec.newBuilder()
                .setName(APP.value())
                .setRuntime("simulated")
                .setPath(PROGRAM.value())
                .putEnvironment("VERSION", version(number))
                .setIdentity(ProgramIdentity.PROGRAM_IDENTITY_EXE)
                .addProbes(
                        drover.agent.v1.Probe.newBuilder()
                                .setName("alive")
                                .setInterval(seconds(2))
                                .setTimeout(seconds(1))
                                .setGrace(seconds(0))
                                .setProcess(drover.agent.v1.ProcessProbe.getDefaultInstance())
                                .setApplicationHealth(
                                        drover.agent.v1.ApplicationHealth
                                                .APPLICATION_HEALTH_CRITICAL))
                .build();
    }

    private static com.google.protobuf.Duration seconds(long seconds) {
        return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).build();
    }

    @Override
    public Manifest manifest(ChainProfileId chain, String upgradeId) {
        throw new IllegalStateException("Rollouts are created without manifests here");
    }

    @Override
    public Profile profile(ChainProfileId chain) {
        return new Profile("simulated", List.of(APP.value()), HEALTH_WAIT, 3);
    }

    @Override
    public Rendered render(
            ChainProfileId chain,
            BinaryName binary,
            String targetVersion,
            List<Change> changes,
            List<Node> nodes) {
        int number = Integer.parseInt(targetVersion.substring(1));
        byte[] content = config(number).getBytes(StandardCharsets.UTF_8);
        Digest digest = Digest.of(content);
        List<File> files = List.of(new File(CONFIG, digest, content.length));
        byte[] program = proto(number).toByteArray();
        Digest launch = spec(number).launch().digest();
        return new Rendered(
                nodes.stream()
                        .map(node -> new RenderedNode(node.id(), program, launch, files))
                        .toList(),
                Map.of(digest.value(), content));
    }
}
