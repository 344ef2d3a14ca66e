package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.Release;
import drover.bench.mtls.EnrolledNodes.Validity;
import drover.coordinator.Faults;
import drover.coordinator.store.check.ObservationChecker.Outcome;
import drover.system.fault.FaultPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every agent has to renew its certificate while nobody can give it one, and both coordinators are
 * away; and then while the gateway that it asks first freezes and is killed. A rollout is under way
 * all the time.
 */
@DisplayName("A7: who cannot renew keeps its stream and its certificate, and renews later")
@Faults(
        rule = "C12 (after the last fault everything converges)",
        sample = "NodeCertificateIT.anAgentRenewsItsCertificateWithAFreshKeyAndTheNextGeneration")
class CertificateRenewalFaultsIT {
    private static final int NODES = 4;
    private static final Duration SOON = Duration.ofMinutes(3); // a busy machine

    /** Time without any certificate issuer: the longest outage of the fault plan. */
    private static final Duration AWAY = FaultPlan.LONGEST;

    /**
     * What is left of their certificates when agents start; they wait for up to an eighth of it
     * between two tries.
     */
    private static final Duration LEFT = AWAY.plusMinutes(3);

    /** So long ago they began that three quarters are over, and every agent renews at once. */
    private static final Validity DUE = new Validity(LEFT.multipliedBy(4), LEFT);

    /** Far below the 15 s for which an agent waits for an answer. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private static final String NOT_YET = "certificate is not renewed yet";
    private static final Pattern NODE = Pattern.compile("nodeId=(\\S+)");
    private static final String ENDED = "Session ended";

    @TempDir Path folder;
    private FullSecurity security;
    @AutoClose private ReplicatedDeployment mesh;
    @AutoClose private RetryingClient client;

    @BeforeEach
    void start() throws IOException {
        security = new FullSecurity(folder.resolve("secured"), DUE);
        mesh = ReplicatedDeployment.withoutAgents(folder, security);
        client = new RetryingClient(mesh.coordinators(), security);
    }

    @Test
    @Timeout(900)
    void theyRenewWhenTheyCan() throws Exception {
        withholdAuthority();
        mesh.startAgents(NODES);
        String rollout = client.create(Release.V1);
        assertThat(client.start(rollout)).isEqualTo(Outcome.APPLIED);
        await().atMost(SOON).until(() -> mesh.ledger().progress(rollout).succeeded() >= 1);

        beWithoutCoordinators();
        killTheGatewayThatIsAskedFirst();
        showTheNextCertificate();

        await().atMost(SOON).until(() -> mesh.ledger().progress(rollout).hasStopped());
        assertThat(mesh.ledger().progress(rollout).status()).isEqualTo("completed");
        new ConsistencyCheck(mesh, client, NODES).assertSound(Map.of(rollout, Release.V2));
    }

    /** Comes back when both gateways have seen it. */
    private void withholdAuthority() {
        security.withholdAuthority();
        for (String gateway : List.of("gateway-1", "gateway-2")) {
            await().atMost(SOON).until(() -> said(gateway, "A new certificate is in use") > 0);
        }
    }

    private void beWithoutCoordinators() {
        for (String each : List.of("coordinator-1", "coordinator-2")) {
            mesh.kill(each);
        }
        await().pollDelay(AWAY).atMost(AWAY.plus(SOON)).until(() -> true);
        assertThat(mesh.record().certificates()).as("given").containsOnly(1L);
        assertThat(whoSaid(NOT_YET)).as("tried").hasSize(NODES);
        assertThat(said("agents", ENDED)).as("streams that ended").isZero();
        for (String each : List.of("coordinator-1", "coordinator-2")) {
            mesh.start(each);
        }
    }

    /** Whoever tries meanwhile waits for its answer, and hears of its end. */
    private void killTheGatewayThatIsAskedFirst() {
        mesh.signal("gateway-1", "STOP");
        long before = OpenSockets.to(mesh.port("gateway-1"));
        security.replaceCertificates();
        await().atMost(SOON)
                .pollInterval(LOOK)
                .until(() -> OpenSockets.to(mesh.port("gateway-1")) > before);
        assertThat(mesh.record().certificates()).as("nobody answers").contains(1L);
        mesh.kill("gateway-1");
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(mesh.record().certificates()).containsOnly(2L));
        await().atMost(SOON).until(() -> mesh.connected("gateway-2") == NODES);
        mesh.start("gateway-1");
        mesh.awaitDoor("gateway-1");
    }

    private void showTheNextCertificate() {
        mesh.end("gateway-2");
        await().atMost(SOON).until(() -> mesh.connected("gateway-1") == NODES);
        assertThat(said("agents", ENDED))
                .as("an end is found in the log where there is one")
                .isGreaterThanOrEqualTo(NODES);
        assertThat(mesh.record().shownCertificates()).containsOnly(2L);
        mesh.start("gateway-2");
    }

    /** Nodes whose agents said it. */
    private Set<String> whoSaid(String words) {
        return mesh.log("agents").stream()
                .filter(line -> line.contains(words))
                .flatMap(line -> NODE.matcher(line).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    private long said(String program, String words) {
        return mesh.log(program).stream().filter(line -> line.contains(words)).count();
    }
}
