package drover.opsagent.trust;

import static drover.opsagent.trust.TrustedSigners.ONLINE;
import static drover.opsagent.trust.TrustedSigners.authorized;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpServer;
import drover.agent.v1.ApplicationHealth;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.ExecProbe;
import drover.agent.v1.HttpProbe;
import drover.agent.v1.Probe;
import drover.agent.v1.ProgramSpec;
import drover.model.Digest;
import drover.model.NodePath;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.RealProcessNode;
import drover.opsagent.main.Waits;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.store.StateDirectory;
import drover.trust.release.Release;
import drover.trust.release.ReleaseLaunchSpec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A real agent whose gateway or coordinator is compromised: nothing runs outside its owner's
 * policy, and the node reports why.
 */
class CompromisedControlPlaneIT extends RealProcessNode {
    private static final Duration SOON = Waits.LIMIT;
    private static final String SECRET = "c0ffee-secret";

    private Path made;

    @BeforeEach
    void aFileThatNothingMakes() throws IOException {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        made = open.resolve("made");
        agent.close();
    }

    private void start(LocalPolicy policy) {
        agent =
                startAgent(
                        OpsAgent.Dependencies.local(
                                new LocalDisk(),
                                DownloadPolicy.forLocalMachine(),
                                new AgentMetrics(),
                                RuntimeRegistry.builtIn(Map.of()).withPolicy(policy)));
        gateway.heartbeats.clear();
        await().atMost(SOON).until(() -> runs(digest(oldProgram)));
    }

    private Command changed(Command command, Consumer<ProgramSpec.Builder> change) {
        try {
            CommandBody.Builder body = CommandBody.parseFrom(command.getBody()).toBuilder();
            change.accept(body.getUpgradeBuilder().getProgramBuilder());
            return command.toBuilder().setBody(body.build().toByteString()).build();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Probe.Builder probe() {
        return Probe.newBuilder()
                .setName("check")
                .setInterval(com.google.protobuf.Duration.newBuilder().setNanos(200_000_000))
                .setTimeout(com.google.protobuf.Duration.newBuilder().setSeconds(5))
                .setApplicationHealth(ApplicationHealth.APPLICATION_HEALTH_CRITICAL);
    }

    private Probe exec(String... command) {
        return probe().setExec(ExecProbe.newBuilder().addAllCommand(List.of(command))).build();
    }

    private static Probe page(String url, String pointer) {
        return probe().setHttp(
                        HttpProbe.newBuilder()
                                .setUrl(url)
                                .setStatus(200)
                                .setJsonPointer(pointer)
                                .setEquals("x"))
                .build();
    }

    private void assertRefused(long attempt, String reason, String sentence, long pid)
            throws IOException {
        AttemptStatus status = gateway.end(attempt, SOON);
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(status.getReason()).isEqualTo(reason);
        assertThat(status.getDetail()).contains(sentence);
        assertThat(status.getMutationStarted()).isFalse();
        assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(marked()).extracting(ProcessHandle::pid).containsExactly(pid);
        assertThat(made).doesNotExist();
    }

    @Test
    @DisplayName("H11, H15: a compromised gateway starts nothing that the policy does not list")
    void aGatewayStartsNothingOutsideThePolicy() throws IOException {
        start(new LocalPolicy(true, List.of(new NodePath("/bin")), Set.of(), Set.of(), Set.of()));
        long pid = marked().getFirst().pid();
        Probe touch = exec("/bin/touch", made.toString());

        gateway.send(changed(upgrade(1, newProgram, "601"), spec -> spec.addProbes(touch)));
        assertRefused(1, "PROGRAM_REFUSED", "does not allow probes to run '/bin/touch'", pid);
        String line = "touch " + made + "; exec {path} 601";
        gateway.send(
                changed(
                        upgrade(2, newProgram, "601"),
                        spec ->
                                spec.clearArguments()
                                        .addAllArguments(List.of("/bin/sh", "-c", line))));
        assertRefused(2, "PROGRAM_REFUSED", "command line starts with '/bin/sh'", pid);
        gateway.send(
                changed(
                        upgrade(3, newProgram, "601"),
                        spec -> spec.putEnvironment("LD_PRELOAD", "/tmp/other.so")));
        assertRefused(3, "PROGRAM_REFUSED", "sets LD_PRELOAD", pid);
    }

    @Test
    @DisplayName("E7, H13: a compromised coordinator starts and reads nothing that is not signed")
    void aCoordinatorStartsAndReadsNothingThatIsNotSigned() throws IOException {
        TrustedSigners people = new TrustedSigners(directory);
        people.write(TrustedSigners.commanded());
        SignaturePolicy.VerifyReleases demand =
                people.demand(true).withSignedCommandsFor(TrustedSigners.NODE);
        new RootOfTrustStore(
                        new StateDirectory(state, new DurableFiles(new LocalDisk(), new Random(1))),
                        demand)
                .pinOrUpdateRoot();
        start(new LocalPolicy(false, List.of(), Set.of(), Set.of(), Set.of(), demand));
        long pid = marked().getFirst().pid();
        Probe touch = exec("/bin/touch", made.toString());

        gateway.send(commanded(1, spec -> spec.addProbes(touch)));
        assertRefused(1, "RELEASE_DIFFERS", "not signed for the probe check", pid);
        gateway.send(
                commanded(
                        2,
                        spec ->
                                spec.clearArguments()
                                        .addAllArguments(List.of("/bin/touch", made.toString()))));
        assertRefused(2, "RELEASE_DIFFERS", "not signed for the command line", pid);
        gateway.send(commanded(3, spec -> spec.putEnvironment("LD_PRELOAD", "/tmp/other.so")));
        assertRefused(3, "RELEASE_DIFFERS", "not signed for the command line", pid);

        HttpServer store = secrets();
        try {
            // Within the signed templates it chooses which host is asked, and what for.
            gateway.send(
                    commanded(
                            4,
                            spec ->
                                    spec.addProbes(page(url("169.254.169.254", 80), "/key"))
                                            .addProbes(
                                                    page(url("127.0.0.1", port(store)), "/key")
                                                            .toBuilder()
                                                            .setName("own"))));
            assertThat(gateway.end(4, SOON).getOutcome())
                    .isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
            await().atMost(SOON)
                    .until(
                            () ->
                                    reported().contains("169.254.169.254 is neither this node")
                                            && reported().contains("/key is not"));
            assertThat(gateway.heartbeats.toString()).doesNotContain(SECRET);
        } finally {
            store.stop(0);
        }
    }

    private String reported() {
        return gateway.lastHeartbeat().getPrograms(0).toString();
    }

    /** With a release that people signed, signed by the coordinator's own key. */
    private Command commanded(long attempt, Consumer<ProgramSpec.Builder> change)
            throws IOException {
        List<String> page = List.of("http", "http://{{ .host }}:{{ .port }}/", "200", "/key", "x");
        ReleaseLaunchSpec sleeping = TrustedSigners.SLEEPING;
        Release release =
                TrustedSigners.release("v2", 1, digest(newProgram), Files.size(newProgram), CONFIG)
                        .withLaunch(
                                new ReleaseLaunchSpec(
                                        sleeping.path(),
                                        sleeping.service(),
                                        sleeping.arguments(),
                                        sleeping.environment(),
                                        sleeping.user(),
                                        sleeping.identity(),
                                        List.of(page)));
        Command plain = changed(upgrade(attempt, newProgram, "601"), change);
        CommandBody.Builder body = CommandBody.parseFrom(plain.getBody()).toBuilder();
        body.getUpgradeBuilder().setRelease(ByteString.copyFrom(TrustedSigners.signed(release)));
        ByteString bytes = body.build().toByteString();
        byte[] signature = authorized(Digest.of(bytes.toByteArray()), Instant.now(), ONLINE);
        return plain.toBuilder()
                .setBody(bytes)
                .setAuthorization(ByteString.copyFrom(signature))
                .build();
    }

    private static String url(String host, int port) {
        return "http://" + host + ":" + port + "/";
    }

    private static int port(HttpServer server) {
        return server.getAddress().getPort();
    }

    /** Answers on the node itself, as the agent of a secret store does. */
    private static HttpServer secrets() throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] answer = ("{\"key\": \"" + SECRET + "\"}").getBytes(StandardCharsets.UTF_8);
        server.createContext(
                "/",
                exchange -> {
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                });
        server.start();
        return server;
    }
}
