package drover.system.fleet;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Address;
import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.manifest.parse.ManifestReleaseConverter;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.RootOfTrustStore;
import drover.standalone.InProcessServiceFactory;
import drover.standalone.ServiceFactory;
import drover.standalone.StandaloneConfig.AgentTimings;
import drover.standalone.signing.KeyFiles;
import drover.standalone.signing.ManifestAndReleaseFiles;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.PreflightJson;
import drover.system.fixture.TestDeployment;
import drover.trust.release.Envelope;
import drover.trust.release.Quorum;
import drover.trust.release.Root;
import drover.trust.release.SigningKey;
import drover.trust.release.TrustChain;
import drover.trust.release.VerifyingKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * From the file beside the manifest to the node that asks for it: the whole way of a signed release
 * through manifest-service, coordinator and gateway, none of which could have made it; and of the
 * coordinator's signed commands, in a node that takes no others.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(600)
class SignedRolloutIT {
    private static final SigningKey ANN = SigningKey.create();
    private static final SigningKey EVE = SigningKey.create();

    private static final String TO_V2 =
            """
            {"upgrade_id": "greeter-v2", "chain_profile_id": "harbour", "node_type": "edge",
             "source_version": "v1", "strategy": "rolling", "batch_size": 1,
             "health_wait_duration": "1s"}
            """;

    private TestDeployment deployment;
    private Path trust;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        FullBuildAssumption.requireEverything();
        Path real = folder.toRealPath();
        Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwxr-xr-x"));
        trust = real.resolve("root.json");
        deployment = TestDeployment.on(real.resolve("mesh"), 1, servicesWithSignaturePolicy());
    }

    /** Ann signs releases, and this key commands. */
    private static Envelope root(long version, VerifyingKey online) {
        Quorum ann = new Quorum(1, Set.of(ANN.id()));
        return new Root(
                        version,
                        Instant.now().plus(Duration.ofDays(1)),
                        Map.of(ANN.id(), ANN.verifyingKey(), online.id(), online),
                        ann,
                        ann,
                        new Quorum(1, Set.of(online.id())))
                .toUnsignedEnvelope()
                .withSignature(ANN);
    }

    private void trust(TrustChain roots) {
        try {
            Files.write(trust, roots.bytes());
            Files.setPosixFilePermissions(trust, PosixFilePermissions.fromString("rw-r--r--"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterAll
    void close() {
        if (deployment != null) {
            deployment.close();
        }
    }

    /** All as in a real mesh, but for the node's own policy. */
    private ServiceFactory servicesWithSignaturePolicy() {
        ServiceFactory real = new InProcessServiceFactory(Map.of());
        return (ServiceFactory)
                Proxy.newProxyInstance(
                        ServiceFactory.class.getClassLoader(),
                        new Class<?>[] {ServiceFactory.class},
                        (_, method, arguments) -> {
                            try {
                                return method.getName().equals("startAgent")
                                        ? agent(
                                                (NodeDirectory) arguments[0],
                                                (Address) arguments[1],
                                                (AgentTimings) arguments[2])
                                        : method.invoke(real, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private ServiceFactory.RunningService agent(
            NodeDirectory node, Address gateway, AgentTimings pace) {
        Path online = KeyFiles.publicKeyFile(new DataDirectory(deploymentOf(node)).commandKey());
        trust(TrustChain.of(root(1, KeyFiles.loadVerifyingKey(online))));
        SignaturePolicy.VerifyReleases demand =
                demand().withSignedCommandsFor(new NodeId(node.name()));
        new RootOfTrustStore(
                        new StateDirectory(
                                node.state(), new DurableFiles(new LocalDisk(), new Random(1))),
                        demand)
                .pinOrUpdateRoot();
        LocalPolicy policy =
                new LocalPolicy(false, List.of(), Set.of(), Set.of(), Set.of(), demand);
        return OpsAgent.start(
                        new OpsAgentConfig(
                                node.state(),
                                node.root(),
                                List.of(new GatewayAddress(gateway.toString())),
                                node.readOrCreateToken(),
                                "process",
                                pace.startSettle(),
                                pace.idleHeartbeat(),
                                Duration.ofSeconds(1),
                                OpsAgentConfig.VERSION),
                        OpsAgent.Dependencies.local(
                                LocalDisk.withJail(node.root(), node.state()),
                                DownloadPolicy.forLocalMachine(),
                                new AgentMetrics(),
                                RuntimeRegistry.builtIn(Map.of()).withPolicy(policy)))
                ::close;
    }

    /** The data directory that a node's own lies in. */
    private static Path deploymentOf(NodeDirectory node) {
        return node.path().resolve("../..").normalize();
    }

    private SignaturePolicy.VerifyReleases demand() {
        try {
            return new SignaturePolicy.VerifyReleases(
                    trust,
                    Files.getOwner(trust).getName(),
                    true,
                    new ChainProfileId("harbour"),
                    new NodeType("edge"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @DisplayName("E1 E3 E7 H8: only what the owner's people released and a coordinator commands")
    void installsWhatTheOwnersPeopleSignedAlone() throws IOException {
        long before = deployment.pid("berth-01");
        assertThat(found(TO_V2)).containsExactly(entry("verify_artifact", "SIGNATURE_MISSING"));
        assertThat(failed(TO_V2)).isEqualTo("SIGNATURE_MISSING");

        Path manifest = deployment.data.config().resolve("upgrades/harbour/greeter-v2.yaml");
        String text = Files.readString(manifest);
        long size = Files.size(artifact(text));
        Files.writeString(manifest, text + "target_size: " + size + "\n");
        sign(manifest, EVE);
        assertThat(failed(TO_V2)).isEqualTo("SIGNATURE_INVALID");
        assertThat(deployment.pid("berth-01")).isEqualTo(before);

        sign(manifest, ANN);
        assertThat(found(TO_V2)).isEmpty();
        String id = deployment.started(TO_V2);
        deployment.awaitStill(id, "completed");
        assertThat(deployment.pid("berth-01")).isNotEqualTo(before);

        deployment.request(id, "rollback"); // from its own backup, with nobody's release
        deployment.awaitStill(id, "rolled_back");

        TrustChain first = TrustChain.parseUnverified(Files.readAllBytes(trust));
        trust(first.withNextRoot(root(2, SigningKey.create().verifyingKey())));
        JsonNode unreported = preflight(TO_V2).node("berth-01");
        assertThat(unreported.at("/reason").asString("")).isEqualTo("COMMAND_SIGNER_UNKNOWN");
    }

    private static Path artifact(String manifest) {
        return manifest.lines()
                .filter(line -> line.startsWith("target_url: "))
                .map(line -> line.substring("target_url: ".length()).strip().replace("\"", ""))
                .map(url -> Path.of(java.net.URI.create(url)))
                .findFirst()
                .orElseThrow();
    }

    private static void sign(Path manifest, SigningKey key) {
        ManifestReleaseConverter.SignerDecidedTerms terms =
                new ManifestReleaseConverter.SignerDecidedTerms(
                        2, 0, false, Instant.parse("2099-01-01T00:00:00Z"), List.<NodePath>of());
        new ManifestAndReleaseFiles(manifest).sign(terms, List.of(key), true);
    }

    /** What a preflight says of the one node; nothing is started. */
    private Map<String, String> found(String rollout) {
        return preflight(rollout).problems("berth-01");
    }

    private PreflightJson preflight(String rollout) {
        PreflightJson found = PreflightJson.of(deployment, deployment.created(rollout));
        deployment.endActiveRollouts();
        return found;
    }

    /** Why the one node refused. */
    private String failed(String rollout) {
        String id = deployment.started(rollout);
        deployment.awaitStill(id, "paused");
        JsonNode node = deployment.node(id, "berth-01");
        deployment.endActiveRollouts();
        return node.at("/reason").asString("");
    }
}
