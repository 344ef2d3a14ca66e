package drover.simulation.world;

import drover.agent.v1.ProgramIdentity;
import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.Probe;
import drover.model.program.ProgramSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A program that nodes run, in all its versions: what its file, its configuration and its launch
 * say all name the version, so that a mixture is seen at once.
 */
public enum SimulatedProgramDefinition {
    /** The one that every node has. */
    APP("app", "program", "version"),
    /** The other one, where groups are tried. */
    STORE("store", "store", "release");

    private static final Duration PROBE_EVERY = Duration.ofSeconds(2);

    private final String word;
    private final String content;
    private final String key;

    SimulatedProgramDefinition(String word, String content, String key) {
        this.word = word;
        this.content = content;
        this.key = key;
    }

    BinaryName binary() {
        return new BinaryName(word);
    }

    NodePath path() {
        return new NodePath("/bin/" + word);
    }

    public NodePath configPath() {
        return new NodePath("/etc/" + word + ".toml");
    }

    /** The product that a rollout installs. */
    public static SimulatedProgramDefinition named(BinaryName name) {
        return Stream.of(values())
                .filter(product -> product.binary().equals(name))
                .findFirst()
                .orElseThrow();
    }

    public static String version(int number) {
        return "v" + number;
    }

    /** The number of a version. */
    public static int number(String version) {
        return Integer.parseInt(version.substring(1));
    }

    /** The last version is the one before with another configuration alone (A14). */
    byte[] artifactBytes(int number) {
        int own = number == SimulatedWorld.RELEASES ? number - 1 : number;
        return (content + " " + version(own)).getBytes(StandardCharsets.UTF_8);
    }

    public Digest digest(int number) {
        return Digest.of(artifactBytes(number));
    }

    /** Whether a file is this program in some version. */
    boolean hasDigest(Digest program) {
        return versionNumbers().anyMatch(number -> digest(number).equals(program));
    }

    /** What a node of this version says of its configuration. */
    public Digest configDigest(int number) {
        return ConfigDigest.of(
                Map.of(configPath(), Digest.of(config(number))), spec(number).launch().digest());
    }

    String url(int number) {
        return "http://artifacts.example/" + word + "-" + number;
    }

    public String config(int number) {
        return key + " = \"" + version(number) + "\"\n";
    }

    public static IntStream versionNumbers() {
        return IntStream.rangeClosed(1, SimulatedWorld.RELEASES);
    }

    ProgramSpec spec(int number) {
        return new ProgramSpec(
                binary(),
                "simulated",
                new LaunchSpec(
                        path(),
                        "",
                        List.of(),
                        Map.of("VERSION", version(number)),
                        "",
                        drover.model.program.ProgramDigestSource.EXE),
                List.of(
                        new Probe(
                                "alive",
                                PROBE_EVERY,
                                Duration.ofSeconds(1),
                                Duration.ZERO,
                                new Probe.Check.ProcessAlive(),
                                new Probe.StatusWhileFailing.HealthWhileFailing(
                                        ApplicationHealth.CRITICAL))));
    }

    /** The same as agents are sent it. */
    drover.agent.v1.ProgramSpec proto(int number) {
        return drover.agent.v1.ProgramSpec.newBuilder()
                .setName(word)
                .setRuntime("simulated")
                .setPath(path().value())
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
}
