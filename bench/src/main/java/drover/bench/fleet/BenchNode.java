package drover.bench.fleet;

import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The nodes of a benchmark: all alike, with one program whose upgrade does nothing but count. */
public record BenchNode(int number) {
    /** Chain of all nodes. */
    public static final String CHAIN = "bench";

    /** Type of all nodes. */
    public static final String TYPE = "plain";

    /** Their one program, as the chain profile of {@link #PROFILE} has it. */
    public static final ProgramSpec PROGRAM =
            new ProgramSpec(
                    new BinaryName("app"),
                    "simulated",
                    new LaunchSpec(
                            new NodePath("/opt/app"),
                            "",
                            List.of(),
                            Map.of(),
                            "",
                            ProgramDigestSource.EXE),
                    List.of());

    /** The chain profile, as a file of the manifest-service's configuration. */
    public static final String PROFILE =
            """
            runtime: { type: simulated }
            programs:
              - name: app
                path: /opt/app
                identity: exe
            health:
              wait: 1s
            """;

    /** One of the two releases that rollouts go back and forth between. */
    public enum BenchRelease {
        /** What every node starts with. */
        V1,
        /** The other one. */
        V2;

        /** The artifact. */
        byte[] bytes() {
            return ("the program, release " + name()).getBytes(StandardCharsets.UTF_8);
        }

        /** Its version. */
        public String version() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        /** Where it is said to be. */
        public String url() {
            return "http://artifacts.example/app-" + version();
        }

        /** Bytes of the artifact. */
        public long size() {
            return bytes().length;
        }

        /** Its digest. */
        public Digest digest() {
            return Digest.of(bytes());
        }

        /** The one to go to from here. */
        public BenchRelease other() {
            return this == V1 ? V2 : V1;
        }
    }

    /** Its name. */
    public NodeId id() {
        return new NodeId("node-%05d".formatted(number));
    }

    /** Its credential. */
    public String token() {
        return "bench-token-" + number;
    }
}
