package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.bench.mtls.NodeEnroller.Validity;
import drover.coordinator.Faults;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
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
    private static final Duration UNAVAILABLE = FaultPlan.LONGEST;

    /**
     * What is left of their certificates when agents start; they wait for up to an eighth of it
     * between two tries.
     */
    private static final Duration LEFT = UNAVAILABLE.plusMinutes(3);

    /** So long ago they began that three quarters are over, and every agent renews at once. */
    private static final Validity DUE = new Validity(LEFT.multipliedBy(4), LEFT);

    /** Far below the 15 s for which an agent waits for an answer. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    private static final String NOT_YET = "certificate is not renewed yet";
    private static final Pattern NODE = Pattern.compile("nodeId=(\\S+)");
    private static final String ENDED = "Session ended";

    @TempDir Path folder;
    private FullSecurity security;
    @AutoClose private ReplicatedDeployment deployment;
    @AutoClose private RetryingClient client;

    @BeforeEach
    void start() throws IOException {
        security = new FullSecurity(folder.resolve("secured"), DUE);
        deployment = ReplicatedDeployment.withoutAgents(folder, security);
        client = new RetryingClient(deployment.coordinators(), security);
    }

    @Test
    @Timeout(900)
    void theyRenewWhenTheyCan() throws Exception {
        withholdAuthority();
        deployment.startAgents(NODES);
        String rollout = client.create(BenchRelease.V1);
        assertThat(client.start(rollout)).isEqualTo(ResponseOutcome.APPLIED);
        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).succeeded() >= 1);

        beWithoutCoordinators();
        killTheFirstGateway();
        showTheNextCertificate();

        await().atMost(SOON).until(() -> deployment.ledger().progress(rollout).hasStopped());
        assertThat(deployment.ledger().progress(rollout).status()).isEqualTo("completed");
        new ConsistencyCheck(deployment, client, NODES)
                .assertSound(Map.of(rollout, BenchRelease.V2));
    }

    /** Comes back when both gateways have seen it. */
    private void withholdAuthority() {
        security.withholdAuthority();
        for (String gateway : List.of("gateway-1", "gateway-2")) {
            await().atMost(SOON)
                    .until(() -> countLines(gateway, "A new certificate is in use") > 0);
        }
    }

    private void beWithoutCoordinators() {
        for (String each : List.of("coordinator-1", "coordinator-2")) {
            deployment.kill(each);
        }
        await().pollDelay(UNAVAILABLE).atMost(UNAVAILABLE.plus(SOON)).until(() -> true);
        assertThat(deployment.record().certificates()).as("given").containsOnly(1L);
        assertThat(writersOf(NOT_YET)).as("tried").hasSize(NODES);
        assertThat(countLines("agents", ENDED)).as("streams that ended").isZero();
        for (String each : List.of("coordinator-1", "coordinator-2")) {
            deployment.start(each);
        }
    }

    /** Whoever tries meanwhile waits for its answer, and hears of its end. */
    private void killTheFirstGateway() {
        deployment.signal("gateway-1", "STOP");
        long before = OpenSockets.to(deployment.port("gateway-1"));
        security.replaceCertificates();
        await().atMost(SOON)
                .pollInterval(POLL_INTERVAL)
                .until(() -> OpenSockets.to(deployment.port("gateway-1")) > before);
        assertThat(deployment.record().certificates()).as("nobody answers").contains(1L);
        deployment.kill("gateway-1");
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(deployment.record().certificates()).containsOnly(2L));
        await().atMost(SOON).until(() -> deployment.connected("gateway-2") == NODES);
        deployment.start("gateway-1");
        deployment.awaitEndpoint("gateway-1");
    }

    private void showTheNextCertificate() {
        deployment.end("gateway-2");
        await().atMost(SOON).until(() -> deployment.connected("gateway-1") == NODES);
        assertThat(countLines("agents", ENDED))
                .as("an end is found in the log where there is one")
                .isGreaterThanOrEqualTo(NODES);
        assertThat(deployment.record().shownCertificates()).containsOnly(2L);
        deployment.start("gateway-2");
    }

    /** Nodes whose agents said it. */
    private Set<String> writersOf(String words) {
        return deployment.log("agents").stream()
                .filter(line -> line.contains(words))
                .flatMap(line -> NODE.matcher(line).results())
                .map(found -> found.group(1))
                .collect(Collectors.toSet());
    }

    private long countLines(String program, String words) {
        return deployment.log(program).stream().filter(line -> line.contains(words)).count();
    }
}
