package drover.system.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.Faults;
import drover.system.docs.Dashboard;
import drover.system.docs.MetricsTable;
import drover.system.fixture.FullBuildAssumption;
import drover.system.fixture.TestDeployment;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a real mesh shows at {@code /metrics}, and what a real Prometheus makes of it. */
@Timeout(600)
class MetricsIT {
    private static final int NODES = 4;
    private static final Duration SCRAPED = Waits.LIMIT; // measured 2–6 s
    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) (\\S+)");

    private static final String GOOD = rollout("greeter-v2", "v1", "rolling");
    private static final String BAD = rollout("greeter-v3", "v2", "canary");

    private static final String DECIDED = "sum(drover_rollout_node_upgrade_duration_seconds_count)";

    @TempDir Path folder;

    @AutoClose private TestDeployment deployment;

    @BeforeEach
    void startDeployment() {
        FullBuildAssumption.requireEverything();
        deployment = TestDeployment.demo(folder.resolve("mesh"), NODES);
    }

    @Test
    void everyMoveIsCountedOnceAndEndedRolloutsLeaveNoSeries() throws Exception {
        String id = deployment.started(GOOD);
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                text().contains(
                                                "drover_rollout_progress{chain=\"harbour\",rollout_id=\""
                                                        + id));
        assertThat(text())
                .contains("drover_rollout_active{chain=\"harbour\"} 1.0")
                .contains(
                        "drover_rollout_node_phase{chain=\"harbour\",phase=\"STARTING\",rollout_id=\""
                                + id);
        deployment.awaitStill(id, "completed");
        await().atMost(Waits.LIMIT).until(() -> !text().contains(id));
        assertThat(text().lines())
                .contains(
                        "drover_rollout_active{chain=\"harbour\"} 0.0",
                        "drover_rollout_total{chain=\"harbour\",status=\"completed\",strategy=\"rolling\"} 1.0",
                        "drover_rollout_duration_seconds_count{chain=\"harbour\",status=\"completed\",strategy=\"rolling\"} 1",
                        "drover_rollout_node_upgrades_total{chain=\"harbour\",status=\"succeeded\"} 4.0",
                        "drover_rollout_node_upgrade_duration_seconds_count{chain=\"harbour\",status=\"succeeded\"} 4",
                        "drover_gateway_streams 4.0",
                        "drover_gateway_command_seconds_count 4",
                        "drover_coordinator_leads 1.0",
                        "drover_manifest_files{kind=\"manifest\",state=\"good\"} 2.0");
        deployment.request(id, "rollback");
        deployment.awaitStill(id, "rolled_back");
        await().atMost(Waits.LIMIT).until(() -> !text().contains(id));
        assertThat(text().lines())
                .contains(
                        "drover_rollout_total{chain=\"harbour\",status=\"rolled_back\",strategy=\"rolling\"} 1.0",
                        "drover_rollout_total{chain=\"harbour\",status=\"completed\",strategy=\"rolling\"} 1.0",
                        "drover_rollout_node_upgrades_total{chain=\"harbour\",status=\"rolled_back\"} 4.0",
                        "drover_rollout_node_upgrades_total{chain=\"harbour\",status=\"succeeded\"} 4.0");
    }

    @Test
    @Faults(
            rule = "S0-186 (metrics of rollouts by chain, strategy and status)",
            sample = "MetricsIT.whatIsShownIsWhatTheDocumentationLists")
    void theDashboardsQueriesAllFindSomething() throws Exception {
        PrometheusServer.require();
        try (PrometheusServer prometheus =
                PrometheusServer.scraping(
                        deployment.standalone.metricsPort(), folder.resolve("prometheus"))) {
            deployment.awaitStill(
                    deployment.started(of(GOOD, "berth-01", "berth-02")), "completed");
            // A rate needs two scrapes that differ, however late a busy machine scrapes.
            await().atMost(SCRAPED).until(() -> prometheus.values(DECIDED).contains(2.0));
            deployment.awaitStill(
                    deployment.started(of(GOOD, "berth-03", "berth-04")), "completed");
            String bad =
                    deployment.started(BAD); // its canary fails, so that one rollout stays paused
            deployment.awaitStill(bad, "paused");
            List<String> queries = Dashboard.queries();
            assertThat(queries).hasSizeGreaterThan(20);
            for (String query : queries) {
                await().alias(query)
                        .atMost(SCRAPED)
                        .until(() -> !prometheus.values(query).isEmpty());
            }
            assertThat(prometheus.values("sum(drover_rollout_paused{reason=\"CANARY_FAILED\"})"))
                    .containsExactly(1.0);
        }
    }

    @Test
    @Faults(
            rule = "S0-186 (metrics of rollouts by chain, strategy and status)",
            sample = "MetricsIT.whatIsShownIsWhatTheDocumentationLists")
    void prometheusOwnLinterFindsNothingWrong() throws Exception {
        PrometheusServer.require();
        Path linter = PrometheusServer.find("promtool").orElseThrow();
        deployment.awaitStill(deployment.started(GOOD), "completed");
        Path text = Files.writeString(folder.resolve("metrics.txt"), text());
        Process lint =
                new ProcessBuilder(linter.toString(), "check", "metrics")
                        .redirectInput(text.toFile())
                        .redirectErrorStream(true)
                        .start();
        String message =
                new String(
                        lint.getInputStream().readAllBytes(),
                        java.nio.charset.StandardCharsets.UTF_8);
        assertThat(lint.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(message).isEmpty();
    }

    /** The table of operations.md is kept equal to the code by MetricsTableTest. */
    @Test
    void whatIsShownIsWhatTheDocumentationLists() throws Exception {
        deployment.awaitStill(deployment.started(GOOD), "completed");
        deployment.request(
                deployment.started(BAD), "pause"); // so that every metric has something to tell
        Map<String, String> listed =
                MetricsTable.documented().stream()
                        .collect(Collectors.toMap(MetricsTable.Row::name, MetricsTable.Row::kind));
        Map<String, String> shown =
                text().lines()
                        .map(TYPE::matcher)
                        .filter(java.util.regex.Matcher::matches)
                        .collect(Collectors.toMap(it -> it.group(1), it -> it.group(2)));
        assertThat(shown).containsExactlyInAnyOrderEntriesOf(listed);
    }

    private String text() throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:"
                                                            + deployment.standalone.metricsPort()
                                                            + "/metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
        }
    }

    private static String of(String rollout, String one, String other) {
        return rollout.replace("}", ", \"node_ids\": [\"%s\", \"%s\"]}".formatted(one, other));
    }

    private static String rollout(String upgrade, String from, String strategy) {
        return """
        {"chain_profile_id": "harbour", "node_type": "edge", "upgrade_id": "%s",
         "source_version": "%s", "strategy": "%s", "batch_size": 2, "health_wait_duration": "1s"}"""
                .formatted(upgrade, from, strategy);
    }
}
