package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.model.NodePath;
import drover.opsagent.cluster.ExecClusterDriver;
import drover.opsagent.cluster.VerbResult;
import drover.opsagent.cluster.VerbResult.Outcome;
import drover.opsagent.policy.LocalPolicy;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code drover cluster check} with the example driver of docs/cluster-drivers.md. */
@Timeout(600)
class ClusterCheckCommandTest {
    private static final Pattern EXAMPLE = Pattern.compile("(?ms)^```python\n(.*?)^```");

    @TempDir private Path directory;
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private Path driver = Path.of("");
    private ClusterStatusPages cluster;

    @BeforeEach
    void startACluster() throws IOException {
        cluster = new ClusterStatusPages(3);
        Matcher example = EXAMPLE.matcher(Files.readString(Path.of("../docs/cluster-drivers.md")));
        assertThat(example.find()).isTrue();
        driver = directory.resolve("app-driver");
        Files.writeString(driver, example.group(1));
        Files.setPosixFilePermissions(driver, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void stopTheCluster() {
        cluster.close();
    }

    private static void requirePython() {
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/python3")),
                "SKIPPED: there is no /usr/bin/python3");
    }

    private int run(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return CommandTreeTest.tree(out, err).execute(arguments);
    }

    private int check(String... more) {
        List<String> typed = new ArrayList<>(List.of("cluster", "check", "--driver"));
        typed.add(driver.toString());
        for (int number = 1; number <= 3; number++) {
            typed.addAll(List.of("--endpoint", cluster.endpoint(number)));
        }
        typed.addAll(List.of(more));
        return run(typed.toArray(String[]::new));
    }

    @Test
    void printsTheMembersAndTheOrderOfASteadyCluster() {
        requirePython();
        assertThat(check()).as("%s%s", out, err).isZero();
        assertThat(out.toString())
                .startsWith("steady: Member app-1 leads in term 3; the quorum can lose 1 voter.\n")
                .containsPattern("app-1 +leader +3 +3 of 3 +0 entries +- +not now +app-1 leads")
                .containsPattern("app-3 +follower +3 +3 of 3 +0 entries +- +yes +2 of 3 voters")
                .endsWith("Upgrade order: app-3, app-2, app-1\n");
    }

    @Test
    void namesAMemberThatIsDown() {
        requirePython();
        cluster.stop(2);
        assertThat(check()).isEqualTo(1);
        assertThat(out.toString())
                .startsWith("at risk: Quorum is at risk: not healthy app-2")
                .contains("No report from " + cluster.endpoint(2) + ": The driver")
                .doesNotContainPattern(" yes ");
        assertThat(check("--upgraded", "app-1,app-3")).isEqualTo(1);
        assertThat(out.toString()).containsPattern("app-2 +no report .* yes ");
    }

    @Test
    void printsJson() {
        requirePython();
        assertThat(check("--output", "json")).isZero();
        JsonNode json = JsonMapper.builder().build().readTree(out.toString());
        assertThat(json.at("/verdict").asString("")).isEqualTo("steady");
        assertThat(json.at("/leader").asString("")).isEqualTo("app-1");
        assertThat(json.at("/spare").asInt()).isEqualTo(1);
        assertThat(json.at("/missing").isArray()).isTrue();
        assertThat(json.at("/upgrade_order/0").asString("")).isEqualTo("app-3");
        assertThat(json.at("/stop_now/app-1/stop").asString("")).isEqualTo("not_now");
        assertThat(json.at("/stop_now/app-2/stop").asString("")).isEqualTo("yes");
        assertThat(json.at("/probes/0/endpoint").asString("")).isEqualTo(cluster.endpoint(1));
        assertThat(json.at("/probes/0/report/role").asString("")).isEqualTo("leader");
    }

    @Test
    void oneReportOfThreeIsNoData() {
        requirePython();
        assertThat(
                        run(
                                "cluster",
                                "check",
                                "--driver",
                                driver.toString(),
                                "--endpoint",
                                cluster.endpoint(1)))
                .isEqualTo(1);
        assertThat(out.toString())
                .startsWith("no data: There is no current report of app-2, app-3.");
    }

    @Test
    @DisplayName("The example transfers leadership, and repeats change nothing")
    void theExampleStepsDown() {
        requirePython();
        ExecClusterDriver first =
                new ExecClusterDriver(
                        driver,
                        cluster.endpoint(1),
                        LocalPolicy.ofDriver(new NodePath(driver.toString())));
        assertThat(first.stepDownTo("app-9").outcome()).isEqualTo(Outcome.NEVER);
        assertThat(first.stepDownTo("app-3"))
                .isEqualTo(VerbResult.done("Leadership was transferred to app-3."));
        assertThat(cluster.leader()).isEqualTo("app-3");
        assertThat(first.stepDown().outcome()).isEqualTo(Outcome.ALREADY);
        assertThat(first.snapshot(directory))
                .isEqualTo(VerbResult.never("This driver has no snapshot."));
        assertThat(check()).isZero();
        assertThat(out.toString()).contains("Member app-3 leads");
        cluster.stop(1);
        assertThat(first.stepDown().outcome()).isEqualTo(Outcome.NOT_NOW);
    }

    @Test
    @DisplayName(
            "K3: the example transfers leadership to no voter that lags, and verifies the result")
    void theExampleChecksTheTarget() {
        requirePython();
        ExecClusterDriver first =
                new ExecClusterDriver(
                        driver,
                        cluster.endpoint(1),
                        LocalPolicy.ofDriver(new NodePath(driver.toString())));
        cluster.lag(2, 1001);
        assertThat(first.stepDownTo("app-2").outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(cluster.leader()).isEqualTo("app-1");
        cluster.lag(3, 1001);
        assertThat(first.stepDown().outcome()).isEqualTo(Outcome.NOT_NOW);
        cluster.lag(3, 1000);
        cluster.ignoreTransfers();
        assertThat(first.stepDown().outcome()).isEqualTo(Outcome.NOT_NOW);
        assertThat(cluster.leader()).isEqualTo("app-1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster check --driver etcd | The etcd driver needs a member",
                "cluster check --driver etcd --endpoint 10.0.0.1:2379 | is no endpoint of etcd",
                "cluster check --driver etcd --endpoint http://a/b | is no endpoint of etcd",
                "cluster check --driver etcd --endpoint http://a:1 --cert x | belong together",
                "cluster check --driver /no/such/driver | There is no executable /no/such/driver",
                "cluster check --driver @ --cacert ca.pem | are for --driver etcd",
                "cluster | State what to do: check."
            })
    void refusesWithOneSentence(String typed, String message) {
        assertThat(run(typed.replace("@", driver.toString()).split(" ", -1))).isEqualTo(1);
        assertThat(err.toString().strip()).contains(message).hasLineCount(1);
        assertThat(err.toString()).doesNotContain("did not expect");
    }

    @Test
    void anEndpointThatDoesNotRespondIsNamed() {
        String typed = "cluster check --driver etcd --endpoint http://127.0.0.1:1";
        assertThat(run(typed.split(" ", -1))).isEqualTo(1);
        assertThat(out.toString())
                .startsWith("no data: No member has a current report.")
                .contains(
                        "No report from http://127.0.0.1:1: http://127.0.0.1:1 cannot be queried:"
                                + " the connection is refused.");
    }

    @Test
    @DisplayName("K4: SIGTERM of the command ends the processes of its driver")
    void sigtermEndsTheProcessesOfTheDriver() throws IOException, InterruptedException {
        String tag = "86400." + ProcessHandle.current().pid() + System.nanoTime();
        Files.writeString(driver, "#!/bin/sh\nsleep " + tag + " & sleep " + tag + "\n");
        Process command =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName(),
                                "cluster",
                                "check",
                                "--driver",
                                driver.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("command.log").toFile())
                        .start();
        try {
            await().atMost(Duration.ofMinutes(5)).until(() -> sleepers(tag).size() == 2);
            command.destroy(); // SIGTERM
            command.waitFor();
            await().atMost(Duration.ofMinutes(5)).until(() -> sleepers(tag).isEmpty());
        } finally {
            command.destroyForcibly();
            sleepers(tag).forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static List<ProcessHandle> sleepers(String tag) {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").endsWith("sleep " + tag))
                .toList();
    }
}
