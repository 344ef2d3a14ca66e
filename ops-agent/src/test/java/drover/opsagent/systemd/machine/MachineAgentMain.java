package drover.opsagent.systemd.machine;

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
import drover.opsagent.policy.LaunchAndProbePolicy;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.systemd.FileExchange;
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
 * speaks with the test by files: {@code command} goes in; {@code status}, {@code heartbeat} and
 * {@code preflight} come out. As a real leader does, it sends its command again to an agent that
 * was restarted.
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
                    Set.of(),
                    new SignaturePolicy.None(),
                    new LaunchAndProbePolicy(
                            Set.of(new NodePath("/bin/sh")),
                            LaunchAndProbePolicy.DEFAULT_USER,
                            List.of(),
                            Set.of(),
                            Set.of(),
                            false));

    private final FileExchange exchange;
    private final ScriptedGateway gateway;
    private AttemptStatus received = AttemptStatus.getDefaultInstance();
    private Command sent = Command.getDefaultInstance();

    private final Map<String, String> settings;

    private MachineAgentMain(FileExchange exchange, Map<String, String> settings)
            throws IOException {
        this.exchange = exchange;
        this.settings = settings;
        this.gateway = new ScriptedGateway("machine");
    }

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        MachineAgentMain agent =
                new MachineAgentMain(new FileExchange(Path.of(arguments[0])), settings(arguments));
        OpsAgent.start(config(agent.address()), agent.parts());
        CountDownLatch never = new CountDownLatch(1);
        while (!never.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
            agent.poll();
        }
    }

    private static Map<String, String> settings(String[] arguments) {
        if (arguments.length == 1) {
            return Map.of();
        }
        int equals = arguments[1].indexOf('=');
        return Map.of(arguments[1].substring(0, equals), arguments[1].substring(equals + 1));
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
        RuntimeRegistry runtimes = RuntimeRegistry.builtIn(settings).withPolicy(POLICY);
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
        if (!gateway.preflights.isEmpty()) {
            exchange.write("preflight", gateway.preflights.getLast().toByteArray());
        }
    }
}
