package drover.system.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No test of the default run fails because the machine is busy (decision 0109). A test asserts
 * counts, order or causes, runs in virtual time, or measures processor time.
 */
class WallClockRulesTest {
    /** How many finds of each class violate nothing, and why. */
    private static final Map<String, Integer> ALLOWED =
            counts(
                    "AgentUpgradeTest 1 virtual time",
                    "ProgramHealthRulesTest 1 virtual time",
                    "DockerRuntimeTest 2 virtual time",
                    "DownloadRateLimitTest 1 virtual time",
                    "EvaluatorOutageTest 1 virtual time",
                    "DynamicRegistryTest 4 virtual time",
                    "EngineRetryTest 1 virtual time",
                    "SystemdRuntimeTest 1 virtual time",
                    "StreamRateLimiterTest 1 virtual time",
                    "NodeCertificateLifetimeTest 3 computes durations and waits for none",
                    "ReconnectPlanTest 1 computes durations and waits for none",
                    "DrainScheduleTest 1 computes durations and waits for none",
                    "FaultPlanTest 2 computes durations and waits for none",
                    "RolloutPlannerTest 1 computes durations and waits for none",
                    "MaxConnectionAgeTest 1 computes durations and waits for none",
                    "ConfigRendererTest 1 processor time",
                    "OpsAgentMainIT 1 processor time",
                    "TickCostTest 1 processor time",
                    "YamlDocumentTest 1 processor time",
                    "FloodIT 1 of a test of the full suite",
                    "SlowConsumerContract 1 of a test of the full suite",
                    "FailoverIT 1 runs for minutes, in the full suite",
                    "LeaderFaultPointsIT 1 runs for minutes, in the full suite",
                    "FaultInjectionIT 1 runs for minutes, in the full suite",
                    "HeartbeatFeedGrpcServiceTest 1 limited by the time that passed in the test",
                    "NodeDirectoryGrpcServiceTest 1 limited by the time that passed in the test",
                    "EvaluatorKillIT 1 a hold that restarts takes 24 s longer",
                    "ConnectionFloodIT 1 a count, limited by the time that passed",
                    "EnrollmentIT 1 the remaining life of a certificate, with an hour to spare",
                    "RestApiIT 1 an instant of the past",
                    "ChannelsTest 1 the call is repeated",
                    "RetryingClient 1 the call is repeated",
                    "EtcdFleet 1 the call is repeated",
                    "StandaloneKillIT 1 the call is repeated",
                    "MonotonicReadClient 1 the call is repeated",
                    "PresentedCertificateProbe 1 the call is repeated",
                    "FaultProxyFaultPointTest 1 nothing comes meanwhile",
                    "FaultProxyTest 1 nothing comes meanwhile",
                    "HttpServerTest 1 nothing comes meanwhile",
                    "AbuseIT 2 pauses",
                    "DownloadRetryBackoffTest 2 pauses are recorded, not waited for",
                    "KeepaliveIT 1 pauses");

    @Test
    @DisplayName("No test limits a wall-clock duration, and no wait is shorter than a minute")
    void noTestFailsBecauseTheMachineIsBusy() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        List<Path> sources = sources();
        for (Path source : sources) {
            String name = source.getFileName().toString().replace(".java", "");
            found.computeIfAbsent(name, _ -> new ArrayList<>())
                    .addAll(WallClockRules.violations(Files.readString(source)));
        }
        found.entrySet()
                .removeIf(it -> it.getValue().size() == ALLOWED.getOrDefault(it.getKey(), 0));

        assertThat(sources).hasSizeGreaterThan(500);
        assertThat(found).as("finds by class, not as many as the list allows").isEmpty();
    }

    /** {@code Waits.measured} of each module prints a duration, and checks it there alone. */
    @Test
    void measuredDurationsAreCheckedInTheFullSuiteOnly() throws IOException {
        List<Path> waits =
                JavaSources.tests().stream().filter(WallClockRulesTest::isWaits).toList();
        assertThat(waits).hasSizeGreaterThan(5);
        for (Path source : waits) {
            String code = Files.readString(source);
            String guarded =
                    code.replaceAll("if \\(Faults\\.FULL_SUITE\\) \\{\\s*assertThat\\([^;]*;", "");
            assertThat(WallClockRules.violations(guarded)).as("%s", source).isEmpty();
        }
    }

    private static boolean isWaits(Path source) {
        return source.endsWith("Waits.java");
    }

    @Test
    void theListNamesClassesThatExist() throws IOException {
        assertThat(sources())
                .extracting(source -> source.getFileName().toString().replace(".java", ""))
                .containsAll(ALLOWED.keySet());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(TTL);",
                "Duration took = took(); assertThat(took).as(\"B7\").isLessThanOrEqualTo(MAX);",
                "Duration took = took(); assertThat(took).isBetween(MIN, MAX);",
                "assertThat(Instant.now()).isBefore(node.until().plus(H3));",
                "assertThat(beat.getAge().getSeconds()).isBetween(0L, 90L);",
                "assertThat(took().toMillis()).as(\"B7\").isLessThan(2_000);",
                "while (decided < 20 && Instant.now().isBefore(end)) { decide(); }",
                "do { decide(); } while (System.nanoTime() < until);",
                "assertTimeout(LIMIT, () -> look());",
                "await().until(() -> led());",
                "await().atMost(Duration.ofSeconds(10)).until(() -> led());",
                "static final Duration SOON = Duration.ofMillis(5_000); void t() {"
                        + " await().atMost(SOON).until(this::led); }",
                "assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();",
                "assertThat(process.waitFor(500, MILLISECONDS)).isTrue();",
                "static final int MOST = 30; void t() { queue.poll(MOST, SECONDS); }",
                "stub.withDeadlineAfter(20, TimeUnit.SECONDS).check(request);",
                "assertThat(future).succeedsWithin(Duration.ofSeconds(5));",
                "request.timeout(Duration.ofSeconds(20)).build();",
                "socket.setSoTimeout(5_000);",
                "@Timeout(60) class Some {}",
                "@Timeout(value = 20, threadMode = SEPARATE_THREAD) void some() {}",
                "Thread.sleep(100);",
            })
    void findsAPlantedViolation(String planted) {
        assertThat(WallClockRules.violations("class Some {\n" + planted + "\n}"))
                .singleElement()
                .asString()
                .startsWith("2: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(TTL);",
                "assertThat(commits).isBetween(3, 8);",
                "assertThat(left).isLessThanOrEqualTo(ttl.toNanos() - margin);",
                "while (now.isBefore(until)) { now = step(now); }",
                "// assertThat(took).isLessThan(Duration.ofSeconds(1));",
                "say(\"await().until(led)\");",
                "await().atMost(Waits.LIMIT).until(() -> led());",
                "await().during(Duration.ofSeconds(3)).atMost(SOON).until(this::led);",
                "static final Duration SOON = Duration.ofSeconds(90); void t() {"
                        + " await().atMost(SOON).until(this::led); }",
                "latch.await(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);",
                "var _ = new CountDownLatch(1).await(20, MILLISECONDS);",
                "@Timeout(600) class Some {}",
                "@Timeout(value = 12, unit = TimeUnit.HOURS) void some() {}",
            })
    void acceptsWhatABusyMachineOnlyDelays(String accepted) {
        assertThat(WallClockRules.violations("class Some {\n" + accepted + "\n}")).isEmpty();
    }

    private static List<Path> sources() throws IOException {
        return JavaSources.tests().stream()
                .filter(file -> !file.endsWith("WallClockRulesTest.java"))
                .filter(file -> !file.endsWith("WallClockRules.java"))
                .filter(file -> !isWaits(file))
                .toList();
    }

    private static Map<String, Integer> counts(String... allowed) {
        Map<String, Integer> counts = new TreeMap<>();
        for (String each : allowed) {
            String[] words = each.split(" ", 3); // class, finds, reason
            counts.put(words[0], Integer.valueOf(words[1]));
        }
        return counts;
    }
}
