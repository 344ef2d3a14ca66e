package drover.standalone;

import drover.localenv.DataDirectory;
import drover.localenv.Ports;
import drover.localenv.UserFacingError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How a mesh in one process is set up. Every door is on 127.0.0.1; port 0 takes a free one.
 *
 * @param config configuration directory; empty: the demo's, written into the data directory
 * @param nodes how many nodes to make; empty: those of {@code nodes.yaml}, or as many as before
 * @param postgres a database of the operator's; empty: the embedded one
 * @param metricsPort where the metrics of the whole mesh are shown; empty: {@value
 *     #DEFAULT_METRICS_PORT}, or a free one when another program has that
 * @param access what callers of the operators' doors bring
 * @param retentionDays how many days ended rollouts stay whole; 0 for good
 * @param nodeEndpoints for nodes that have certificates, beside the one for tokens
 */
public record StandaloneConfig(
        DataDirectory data,
        Optional<Path> config,
        OptionalInt nodes,
        int httpPort,
        int grpcPort,
        int agentPort,
        Optional<String> postgres,
        AgentTimings timings,
        OptionalInt metricsPort,
        ApiAuthenticationSettings access,
        int retentionDays,
        CertificateNodePorts nodeEndpoints) {
    /** Longer than a year, so that last year's same event can be looked at. */
    public static final int DEFAULT_RETENTION_DAYS = 400;

    /** Where metrics are looked for first. */
    public static final int DEFAULT_METRICS_PORT = 9464;

    /**
     * What callers of the operators' doors bring.
     *
     * @param insecure nothing; every door is on 127.0.0.1
     * @param grants keys beside those of administrator and approver, as they were written
     * @param tokens whose tokens are taken as well; empty: nobody's
     */
    public record ApiAuthenticationSettings(
            boolean insecure, List<String> grants, Optional<IdentityProvider> tokens) {
        /** The keys of administrator and approver. */
        public static final ApiAuthenticationSettings KEYS =
                new ApiAuthenticationSettings(false, List.of(), Optional.empty());

        public ApiAuthenticationSettings {
            grants = List.copyOf(grants);
        }
    }

    /**
     * An identity provider, as it was written.
     *
     * @param keys an address, or the path of a file
     */
    public record IdentityProvider(String issuer, String audience, String keys) {}

    /**
     * Where nodes with certificates dial.
     *
     * @param certificatePort where they dial as nodes
     * @param enrollmentPort where machines become nodes
     */
    public record CertificateNodePorts(int certificatePort, int enrollmentPort) {
        /** On free ports. */
        public static final CertificateNodePorts FREE = new CertificateNodePorts(0, 0);
    }

    /** With what has ended kept as long as usual. */
    public StandaloneConfig(
            DataDirectory data,
            Optional<Path> config,
            OptionalInt nodes,
            int httpPort,
            int grpcPort,
            int agentPort,
            Optional<String> postgres,
            AgentTimings pace,
            OptionalInt metricsPort,
            ApiAuthenticationSettings access) {
        this(
                data,
                config,
                nodes,
                httpPort,
                grpcPort,
                agentPort,
                postgres,
                pace,
                metricsPort,
                access,
                DEFAULT_RETENTION_DAYS,
                CertificateNodePorts.FREE);
    }

    /** With metrics on a free port, and the usual keys. */
    public StandaloneConfig(
            DataDirectory data,
            Optional<Path> config,
            OptionalInt nodes,
            int httpPort,
            int grpcPort,
            int agentPort,
            Optional<String> postgres,
            AgentTimings pace) {
        this(
                data,
                config,
                nodes,
                httpPort,
                grpcPort,
                agentPort,
                postgres,
                pace,
                OptionalInt.of(0),
                ApiAuthenticationSettings.KEYS);
    }

    /**
     * How fast nodes are watched.
     *
     * @param idleHeartbeat how often an agent is heard while nothing happens
     * @param activeHeartbeat how often during an attempt and its hold
     * @param startSettle how long a program must stay up to count as started
     */
    public record AgentTimings(
            Duration idleHeartbeat, Duration activeHeartbeat, Duration startSettle) {
        /** For a machine of one's own: a heartbeat costs nothing there. */
        public static final AgentTimings USUAL =
                new AgentTimings(
                        Duration.ofSeconds(5), Duration.ofSeconds(1), Duration.ofSeconds(3));

        /** For a demo that people watch; still longer than v3 lives. */
        public static final AgentTimings DEMO =
                new AgentTimings(
                        Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(3));
    }

    /**
     * Refuses what is known to be wrong before anything is started.
     *
     * @throws UserFacingError with one sentence
     */
    public void validateAccess() {
        var _ = InProcessServiceFactory.access(access, data.root());
    }

    /**
     * Checks the ports before anything is made. A directory that a mesh runs on is left to its
     * lock: the ports may be taken by that very mesh, and the lock's sentence says more.
     *
     * @throws UserFacingError when another program has one of them
     */
    public void requireFreePorts() {
        if (data.isInitialized() && data.runningProcess().isPresent()) {
            return;
        }
        Ports.requireFree(httpPort, "--http-port");
        Ports.requireFree(grpcPort, "--grpc-port");
        Ports.requireFree(agentPort, "--agent-port");
        Ports.requireFree(nodeEndpoints.certificatePort(), "--tls-port");
        Ports.requireFree(nodeEndpoints.enrollmentPort(), "--enrol-port");
        metricsPort.ifPresent(port -> Ports.requireFree(port, "--metrics-port"));
    }
}
