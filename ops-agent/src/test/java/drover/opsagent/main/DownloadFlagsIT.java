package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import drover.agent.v1.ActionReport;
import drover.agent.v1.AttemptOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the flags of the real program say of its downloads is what it does. */
@Faults(
        rule = "D-47 (a node downloads no faster than its owner says)",
        sample = "DownloadRateLimitTest.keepsToTheRate")
class DownloadFlagsIT extends HandoverNode {
    private static final String URL = "http://mirror.example/app-2"; // which is nowhere
    private static final int BYTES_PER_SECOND = 16 * 1024; // the least that is taken

    private final List<String> requested = new CopyOnWriteArrayList<>();
    private HttpServer proxy;

    @BeforeEach
    void aProxy() throws IOException {
        proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        proxy.createContext(
                "/",
                exchange -> {
                    requested.add(exchange.getRequestURI().toString());
                    byte[] program = Files.readAllBytes(newProgram);
                    exchange.sendResponseHeaders(200, program.length);
                    exchange.getResponseBody().write(program);
                    exchange.close();
                });
        proxy.start();
        AgentJars.healthy(agents.jar("v1.0.0"), "1.0.0");
    }

    @AfterEach
    void noProxyIsLeft() {
        proxy.stop(0);
    }

    @Test
    @DisplayName("--artifact-hosts and --download-rate: through the node's proxy, at its rate")
    void fetchesAsTheFlagsDefine() throws IOException {
        started(agents.start("v1.0.0", AgentProcesses.LONG_DEADLINE, flags("rw-------")));
        control.send(upgrade(1, newProgram, URL, "601"));
        assertThat(over(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(requested).contains(URL);
        long leastMillis = Files.size(newProgram) * 1_000 / BYTES_PER_SECOND * 9 / 10;
        assertThat(fetching()).isGreaterThan(Duration.ofMillis(leastMillis));
    }

    @Test
    @DisplayName("A list of hosts that others can read is refused when the agent starts")
    void refusesAListThatOthersCanRead() throws Exception {
        Process refused = agents.start("v1.0.0", AgentProcesses.LONG_DEADLINE, flags("rw-r--r--"));
        assertThat(refused.waitFor()).isEqualTo(2);
        assertThat(Files.readString(directory.resolve("agents.log"))).contains("hosts.json");
        assertThat(control.hellos).isEmpty();
    }

    private List<String> flags(String mode) throws IOException {
        Path hosts = directory.resolve("hosts.json");
        Files.writeString(
                hosts,
                "{\"hosts\": {\"http://mirror.example\": {\"proxy\": \"127.0.0.1:%d\"}}}"
                        .formatted(proxy.getAddress().getPort()));
        Files.setPosixFilePermissions(hosts, PosixFilePermissions.fromString(mode));
        return List.of(
                "--artifact-hosts",
                hosts.toString(),
                "--download-rate",
                "16KiB/s",
                "--allow-host",
                "mirror.example");
    }

    private Duration fetching() {
        ActionReport fetched =
                control.status(1).getActionsList().stream()
                        .filter(it -> it.getName().equals("acquire_artifact"))
                        .findFirst()
                        .orElseThrow();
        return Duration.between(instant(fetched.getStartedAt()), instant(fetched.getEndedAt()));
    }

    private static Instant instant(com.google.protobuf.Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }
}
