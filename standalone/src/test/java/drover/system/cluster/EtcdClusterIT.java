package drover.system.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.cli.DroverCli;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import drover.coordinator.election.EtcdServer;
import drover.model.cluster.ClusterAssessment;
import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.ClusterVerdict.AtRisk;
import drover.model.cluster.ClusterVerdict.NoData;
import drover.model.cluster.ClusterVerdict.Steady;
import drover.model.cluster.StopDecision.Allowed;
import drover.model.cluster.StopDecision.NeedsConfirmation;
import drover.opsagent.cluster.ClusterDriver;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.cluster.VerbResult;
import drover.opsagent.cluster.VerbResult.Outcome;
import drover.opsagent.cluster.etcd.EtcdAccess;
import drover.opsagent.cluster.etcd.EtcdClusterDriver;
import drover.opsagent.time.SystemTicker;
import drover.standalone.cluster.ClusterCheck;
import drover.standalone.command.LocalCommands;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The etcd driver and the quorum rules on three real members, {@code m0} to {@code m2}. */
@Timeout(600)
class EtcdClusterIT {
    private final List<EtcdServer> servers = new ArrayList<>();

    @AfterEach
    void close() {
        servers.forEach(EtcdServer::close);
    }

    private void start(int members) {
        servers.addAll(EtcdServer.cluster(members));
        await().atMost(Waits.LIMIT).until(() -> assess().verdict() instanceof Steady);
    }

    private EtcdClusterDriver driver(int member) {
        return new EtcdClusterDriver(servers.get(member).endpoint().toString(), EtcdAccess.NONE);
    }

    private ClusterAssessment assess(String... upgraded) {
        Map<String, ClusterDriver> drivers = new LinkedHashMap<>();
        for (int member = 0; member < servers.size(); member++) {
            drivers.put(servers.get(member).endpoint().toString(), driver(member));
        }
        return ClusterCheck.run(drivers, Set.of(upgraded), new SystemTicker()).assessment();
    }

    private ClusterReport report(int member) {
        ProbeResult result = driver(member).probe();
        assertThat(result).isInstanceOf(ProbeResult.Reported.class);
        return ((ProbeResult.Reported) result).report();
    }

    private static int numberOf(String member) {
        return Integer.parseInt(member.substring(1));
    }

    private int leader() {
        return numberOf(((Steady) assess().verdict()).leader());
    }

    private int follower() {
        return leader() == 0 ? 1 : 0;
    }

    private static List<String> allowed(ClusterAssessment assessment) {
        return assessment.stops().entrySet().stream()
                .filter(each -> each.getValue() instanceof Allowed)
                .map(Map.Entry::getKey)
                .toList();
    }

    private List<String> awaitAtRisk() {
        AtomicReference<List<String>> missing = new AtomicReference<>(List.of());
        await().atMost(Waits.LIMIT)
                .until(
                        () -> {
                            if (assess().verdict() instanceof AtRisk(List<String> names, _)) {
                                missing.set(names);
                            }
                            return !missing.get().isEmpty();
                        });
        return missing.get();
    }

    @Test
    @DisplayName("Three healthy members are steady; followers may stop, the leader is last")
    void aHealthyClusterIsSteady() {
        start(3);
        int leader = leader();
        ClusterAssessment assessment = assess();
        assertThat(((Steady) assessment.verdict()).spare()).isEqualTo(1);
        assertThat(allowed(assessment)).hasSize(2).doesNotContain("m" + leader);
        assertThat(assessment.upgradeOrder()).hasSize(3).endsWith("m" + leader);
        assertThat(report(leader).role()).isEqualTo(ClusterRole.LEADER);
        assertThat(report(leader).clusterVersion()).startsWith("3.");
        assertThat(driver(0).findOtherEndpoints())
                .containsExactlyInAnyOrder(
                        servers.get(1).endpoint().toString(), servers.get(2).endpoint().toString());
    }

    @Test
    void theCommandFindsTheOtherMembersOfAnEndpoint() {
        start(3);
        StringWriter out = new StringWriter();
        String endpoint = servers.get(0).endpoint().toString();
        assertThat(check(out, endpoint)).isZero();
        assertThat(out.toString())
                .startsWith("steady: Member m" + leader() + " leads in term ")
                .contains("\nm0 ", "\nm1 ", "\nm2 ", "Upgrade order: ");
        int stopped = follower();
        servers.get(stopped).kill();
        awaitAtRisk();
        assertThat(check(out, servers.get(leader(stopped)).endpoint().toString())).isEqualTo(1);
        assertThat(out.toString()).contains("at risk: Quorum is at risk: not healthy m" + stopped);
    }

    private static int check(StringWriter out, String endpoint) {
        PrintWriter printer = new PrintWriter(out, true);
        return LocalCommands.addTo(
                        DroverCli.commandLine(Console.of(printer, printer, OutputTraits.PLAIN)))
                .execute("cluster", "check", "--driver", "etcd", "--endpoint", endpoint);
    }

    @Test
    @DisplayName("K2: with one member stopped, it is named and no member may stop")
    void aStoppedMemberIsNamed() {
        start(3);
        int stopped = follower();
        servers.get(stopped).kill();

        assertThat(awaitAtRisk()).containsExactly("m" + stopped);
        assertThat(allowed(assess())).isEmpty();
        List<String> others =
                Stream.of("m0", "m1", "m2").filter(each -> !each.equals("m" + stopped)).toList();
        assertThat(allowed(assess(others.toArray(String[]::new))))
                .as("the last old member may be upgraded")
                .containsExactly("m" + stopped);

        servers.get(stopped).start();
        await().atMost(Waits.LIMIT).until(() -> assess().verdict() instanceof Steady);
    }

    @Test
    @DisplayName("K4: a frozen member has no report, and it is named")
    void aFrozenMemberIsNamed() {
        start(3);
        int frozen = follower();
        servers.get(frozen).pause();
        try {
            assertThat(driver(frozen).probe())
                    .isInstanceOfSatisfying(
                            ProbeResult.Failed.class,
                            failed ->
                                    assertThat(failed.reason())
                                            .contains("did not respond in time"));
            assertThat(awaitAtRisk()).containsExactly("m" + frozen);
            assertThat(allowed(assess())).isEmpty();
            assertThat(driver(leader(frozen)).stepDownTo("m" + frozen).outcome())
                    .isEqualTo(Outcome.NOT_NOW);
        } finally {
            servers.get(frozen).resume();
        }
        await().atMost(Waits.LIMIT).until(() -> assess().verdict() instanceof Steady);
    }

    @Test
    @DisplayName(
            "K4: a leader without its followers is not healthy, although it leads until a timeout")
    void aLeaderWithoutContactIsNotHealthy() {
        start(3);
        int leader = leader();
        List<EtcdServer> others = new ArrayList<>(servers);
        others.remove(leader);
        others.forEach(EtcdServer::pause);
        try {
            assertThat(report(leader).healthyVoters()).isEmpty();
        } finally {
            others.forEach(EtcdServer::resume);
        }
        await().atMost(Waits.LIMIT).until(() -> assess().verdict() instanceof Steady);
    }

    private int leader(int except) {
        for (int member = 0; member < 3; member++) {
            if (member != except && report(member).role() == ClusterRole.LEADER) {
                return member;
            }
        }
        throw new AssertionError("no member leads");
    }

    @Test
    @DisplayName("An alarm of one member leaves the other voters healthy, and it is named")
    void anAlarmCountsForOneMember() throws IOException, InterruptedException {
        start(3);
        int alarmed = follower();
        activateAlarm(alarmed);
        assertThat(awaitAtRisk()).containsExactly("m" + alarmed);
        assertThat(report(alarmed).reason()).contains("NOSPACE");
        int leader = leader(alarmed);
        assertThat(driver(leader).stepDownTo("m" + alarmed).outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(driver(leader).stepDown().outcome()).isEqualTo(Outcome.DONE);
    }

    /** As a member does whose database reaches its quota. */
    private void activateAlarm(int member) throws IOException, InterruptedException {
        URI endpoint = servers.get(member).endpoint();
        String id =
                post(endpoint, "/v3/maintenance/status", "{}").at("/header/member_id").asString();
        post(
                endpoint,
                "/v3/maintenance/alarm",
                "{\"action\": \"ACTIVATE\", \"memberID\": \"" + id + "\", \"alarm\": \"NOSPACE\"}");
    }

    private static JsonNode post(URI endpoint, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(endpoint.resolve(path))
                        .timeout(Waits.LIMIT)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        HttpResponse<String> response =
                HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.builder().build().readTree(response.body());
    }

    @Test
    void aLostQuorumHasNoLeader() {
        start(3);
        servers.get(0).kill();
        servers.get(1).kill();
        await().atMost(Waits.LIMIT).until(() -> report(2).role() == ClusterRole.UNKNOWN);
        assertThat(assess().verdict()).isInstanceOf(AtRisk.class);
        assertThat(allowed(assess())).isEmpty();
        assertThat(driver(2).stepDown().outcome()).isEqualTo(Outcome.NOT_NOW);
        servers.get(2).kill();
        assertThat(assess().verdict()).isInstanceOf(NoData.class);
    }

    @Test
    @DisplayName("K3: a step-down moves leadership, and a repeated one changes nothing")
    void aStepDownMovesLeadership() {
        start(3);
        int first = leader();
        int target = (first + 1) % 3;
        long term = report(first).term();
        assertThat(driver(first).stepDownTo("m" + target))
                .isEqualTo(VerbResult.done("Leadership was transferred to m" + target + "."));
        await().atMost(Waits.LIMIT)
                .untilAsserted(
                        () ->
                                assertThat(assess().verdict())
                                        .isInstanceOfSatisfying(
                                                Steady.class,
                                                steady -> {
                                                    assertThat(steady.leader())
                                                            .isEqualTo("m" + target);
                                                    assertThat(steady.term()).isGreaterThan(term);
                                                }));
        assertThat(driver(first).stepDownTo("m" + target).outcome()).isEqualTo(Outcome.ALREADY);
        assertThat(driver(first).stepDown().outcome()).isEqualTo(Outcome.ALREADY);
        assertThat(driver(target).stepDownTo("m9").outcome()).isEqualTo(Outcome.NEVER);
        assertThat(driver(target).stepDown().outcome()).isEqualTo(Outcome.DONE);
        await().atMost(Waits.LIMIT).until(() -> report(target).role() == ClusterRole.FOLLOWER);
    }

    @Test
    void aSnapshotIsWrittenAsOneFile(@TempDir Path directory) throws IOException {
        start(1);
        VerbResult result = driver(0).snapshot(directory);
        assertThat(result.outcome()).as(result.detail()).isEqualTo(Outcome.DONE);
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> written = files.toList();
            assertThat(written).hasSize(1);
            assertThat(Files.size(written.getFirst())).isGreaterThan(4096);
            assertThat(result.detail()).contains(written.getFirst().toString(), "sha256:");
        }
        assertThat(driver(0).snapshot(directory.resolve("missing")).outcome())
                .isEqualTo(Outcome.NEVER);
    }

    @Test
    void aSingleMemberNeedsAConfirmation() {
        start(1);
        assertThat(report(0).role()).isEqualTo(ClusterRole.ALONE);
        assertThat(assess().stops().get("m0")).isInstanceOf(NeedsConfirmation.class);
        assertThat(driver(0).stepDown().outcome()).isEqualTo(Outcome.NEVER);
    }
}
