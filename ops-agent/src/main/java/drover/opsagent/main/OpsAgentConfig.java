package drover.opsagent.main;

import drover.opsagent.identity.CertificateCredential;
import drover.opsagent.identity.EnrollmentConfig;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.JoinTokenConsumingCredential;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.peers.TokenCredential;
import drover.opsagent.runtime.process.ProcessRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * How an agent is run.
 *
 * @param stateDirectory the agent's own directory
 * @param root under which all files of the node lie (H11)
 * @param gateways one of which it dials; at least one
 * @param token that the node shows; empty: it shows the certificate that it was enrolled with
 * @param runtime which of the known runtimes cares for the programs, for example {@code process}
 * @param startSettle how long a started program must stay up
 * @param heartbeatFallback how often to speak until a gateway says otherwise
 * @param reconnectCap dials again after a random time up to this
 * @param agentVersion of the agent itself
 * @param enrollment where it gets its certificate by itself; empty: somebody enrols it
 */
public record OpsAgentConfig(
        Path stateDirectory,
        Path root,
        List<GatewayAddress> gateways,
        String token,
        String runtime,
        Duration startSettle,
        Duration heartbeatFallback,
        Duration reconnectCap,
        String agentVersion,
        Optional<EnrollmentConfig> enrollment) {
    /** Of the agent that this is, as nodes show it. */
    public static final String VERSION = "0.1.0";

    /** Three seconds without exit (DESIGN § 6). */
    public static final Duration START_SETTLE = Duration.ofSeconds(3);

    /** Idle heartbeat until a gateway says otherwise. */
    public static final Duration HEARTBEAT = Duration.ofSeconds(30);

    /** Dials again within a minute, so that a whole fleet is back within two (I1). */
    public static final Duration RECONNECT_CAP = Duration.ofSeconds(60);

    public OpsAgentConfig {
        stateDirectory = stateDirectory.toAbsolutePath().normalize();
        root = root.toAbsolutePath().normalize();
        gateways = List.copyOf(gateways);
        if (gateways.isEmpty()) {
            throw new IllegalArgumentException("An agent needs the address of a gateway");
        }
    }

    /** A node that is one already, or shows a token. */
    public OpsAgentConfig(
            Path stateDirectory,
            Path root,
            List<GatewayAddress> gateways,
            String token,
            String runtime,
            Duration startSettle,
            Duration heartbeatFallback,
            Duration reconnectCap,
            String agentVersion) {
        this(
                stateDirectory,
                root,
                gateways,
                token,
                runtime,
                startSettle,
                heartbeatFallback,
                reconnectCap,
                agentVersion,
                Optional.empty());
    }

    /** A node of the process runtime with the usual times. */
    public static OpsAgentConfig forProcessRuntime(
            Path stateDirectory, Path root, List<GatewayAddress> gateways, String token) {
        return forRuntime(ProcessRuntime.PROCESS, stateDirectory, root, gateways, token);
    }

    /** A node of some runtime with the usual times. */
    public static OpsAgentConfig forRuntime(
            String runtime,
            Path stateDirectory,
            Path root,
            List<GatewayAddress> gateways,
            String token) {
        return new OpsAgentConfig(
                stateDirectory,
                root,
                gateways,
                token,
                runtime,
                START_SETTLE,
                HEARTBEAT,
                RECONNECT_CAP,
                VERSION);
    }

    /** The same with another time within which it dials again. */
    public OpsAgentConfig withReconnectCap(Duration cap) {
        return new OpsAgentConfig(
                stateDirectory,
                root,
                gateways,
                token,
                runtime,
                startSettle,
                heartbeatFallback,
                cap,
                agentVersion,
                enrollment);
    }

    /** The same on a machine that becomes a node by itself. */
    public OpsAgentConfig withEnrollment(EnrollmentConfig place) {
        return new OpsAgentConfig(
                stateDirectory,
                root,
                gateways,
                token,
                runtime,
                startSettle,
                heartbeatFallback,
                reconnectCap,
                agentVersion,
                Optional.of(place));
    }

    /** How the node proves who it is, with what it has. */
    NodeCredential createCredential(IdentityFile enrolled) {
        return token.isEmpty()
                ? new CertificateCredential(enrolled, enrollment)
                : new TokenCredential(token);
    }

    /** The same for the agent that cares for the node, which enrols it where it shall. */
    NodeCredential createExecutorCredential(IdentityFile enrolled, InstantSource clock) {
        return enrollment
                .<NodeCredential>map(
                        place -> new JoinTokenConsumingCredential(enrolled, place, clock))
                .orElseGet(() -> createCredential(enrolled));
    }

    /** Without the token, which must not reach a log (H14). */
    @Override
    public String toString() {
        return "OpsAgentConfig[stateDirectory="
                + stateDirectory
                + ", root="
                + root
                + ", gateways="
                + gateways
                + ", runtime="
                + runtime
                + "]";
    }
}
