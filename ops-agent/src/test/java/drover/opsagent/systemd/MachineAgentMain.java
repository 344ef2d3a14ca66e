package drover.opsagent.systemd;

import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.model.NodePath;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.main.BlockingDisk;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.main.ScriptedGateway;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.RuntimeRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The real agent inside a machine without network, with a scripted gateway in the same process that
 * speaks with the test by files: {@code command} goes in, {@code status} and {@code heartbeat} come
 * out. As a real leader does, it sends its command again to an agent that was started anew.
 */
final class MachineAgentMain {
    static final Path STATE = Path.of("/var/lib/drover-agent");
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    /** What a machine's owner would list for this program. */
    static final LocalPolicy POLICY =
            new LocalPolicy(
                    true,
                    List.of(new NodePath("/usr/local/bin"), new NodePath("/etc/app")),
                    Set.of("app.service"),
                    Set.of(),
                    Set.of());

    private final FileExchange exchange;
    private final ScriptedGateway gateway;
    private AttemptStatus received = AttemptStatus.getDefaultInstance();
    private Command sent = Command.getDefaultInstance();

    private MachineAgentMain(FileExchange exchange) throws IOException {
        this.exchange = exchange;
        this.gateway = new ScriptedGateway("machine");
    }

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        MachineAgentMain agent = new MachineAgentMain(new FileExchange(Path.of(arguments[0])));
        OpsAgent.start(config(agent.address()), agent.parts());
        CountDownLatch never = new CountDownLatch(1);
        while (!never.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
            agent.poll();
        }
    }

    private static OpsAgentConfig config(String gateway) {
        return new OpsAgentConfig(
                STATE,
                Path.of("/"),
                List.of(new GatewayAddress(gateway)),
                "secret",
                "systemd",
                Duration.ofMillis(700),
                Duration.ofMillis(200),
                Duration.ofMillis(200),
                "test");
    }

    /** Where the file {@code unreachable} is, nobody answers the agent at all. */
    private String address() {
        return exchange.has("unreachable") ? "127.0.0.1:1" : "in-process:machine";
    }

    private OpsAgent.Dependencies parts() {
        RuntimeRegistry runtimes = RuntimeRegistry.builtIn(Map.of()).withPolicy(POLICY);
        OpsAgent.Dependencies local =
                OpsAgent.Dependencies.local(
                        LocalDisk.withJail(Path.of("/"), STATE),
                        DownloadPolicy.forLocalMachine(),
                        new AgentMetrics(),
                        runtimes);
        return new OpsAgent.Dependencies(
                new BlockingDisk(local.disk(), exchange.directory()),
                local.processes(),
                local.fetcher(),
                local.probes(),
                local.ticker(),
                local.random(),
                local.supervisionInterval(),
                local.lock(),
                local.metrics(),
                local.runtimes());
    }

    private void poll() throws IOException {
        if (gateway.hellos.isEmpty()) {
            return;
        }
        Optional<Command> next = exchange.command();
        if (next.isPresent() && !next.get().equals(sent)) {
            sent = next.get();
            gateway.send(sent);
        }
        AttemptStatus first = gateway.hellos.getLast().getStatus();
        AttemptStatus last = gateway.lastStatus();
        received = last.getAttempt() >= first.getAttempt() && last.getAttempt() > 0 ? last : first;
        exchange.write("status", received.toByteArray());
        exchange.write("heartbeat", gateway.lastHeartbeat().toByteArray());
    }
}
