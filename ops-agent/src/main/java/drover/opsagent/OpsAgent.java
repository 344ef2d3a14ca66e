package drover.opsagent;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.HttpFetcher;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.GatewaySession;
import drover.opsagent.peers.SessionTimes;
import drover.opsagent.peers.Wakeup;
import drover.opsagent.probe.LocalProbeCheck;
import drover.opsagent.probe.ProbeCheck;
import drover.opsagent.runtime.LinuxProcesses;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Runtimes;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One agent, caring for one node. Closing it leaves the node's programs running; the next start
 * takes them over and goes on from the journal. Four virtual threads, no state shared between
 * agents of one process.
 */
public final class OpsAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpsAgent.class);
    private static final Duration TROUBLE =
            Duration.ofSeconds(5); // between tries of a failing loop

    private final OpsAgentConfig config;
    private final Parts parts;
    private final ExecutorLock lock;
    private final NodeCare care;
    private final List<Thread> threads;
    private Runnable lookNoMore = () -> {};

    /**
     * What an agent stands on.
     *
     * @param watch how often fallen programs are looked for and due probes tried
     * @param lock takes the executor lock of a state directory
     * @param metrics of the process; agents may share them
     * @param runtimes one of which cares for the node's programs
     */
    public record Parts(
            Disk disk,
            Processes processes,
            Fetcher fetcher,
            ProbeCheck probes,
            Ticker ticker,
            RandomGenerator random,
            Duration watch,
            Function<Path, ExecutorLock> lock,
            AgentMetrics metrics,
            Runtimes runtimes) {
        /** With metrics that nobody looks at, and the runtimes that come with the agent. */
        public Parts(
                Disk disk,
                Processes processes,
                Fetcher fetcher,
                ProbeCheck probes,
                Ticker ticker,
                RandomGenerator random,
                Duration watch,
                Function<Path, ExecutorLock> lock) {
            this(
                    disk,
                    processes,
                    fetcher,
                    probes,
                    ticker,
                    random,
                    watch,
                    lock,
                    new AgentMetrics(),
                    Runtimes.known(Map.of()));
        }

        /** This machine's own disk, processes and network. */
        public static Parts local(DownloadPolicy downloads) {
            return local(new LocalDisk(), downloads, new AgentMetrics(), Runtimes.known(Map.of()));
        }

        /** The same, measured, with a disk and a choice of runtimes. */
        public static Parts local(
                Disk disk, DownloadPolicy downloads, AgentMetrics metrics, Runtimes runtimes) {
            Ticker ticker = new SystemTicker();
            return new Parts(
                    disk,
                    new LinuxProcesses(ticker),
                    new HttpFetcher(downloads, ticker),
                    new LocalProbeCheck(),
                    ticker,
                    new SecureRandom(),
                    Duration.ofMillis(500),
                    ExecutorLock::tryTake,
                    metrics,
                    runtimes);
        }

        /** The same with other ways to artifacts. */
        public Parts fetchingBy(Fetcher other) {
            return new Parts(
                    disk, processes, other, probes, ticker, random, watch, lock, metrics, runtimes);
        }

        /** A simulated node in real time; thousands fit into one process. */
        public static Parts simulated(
                Disk disk, Processes processes, Fetcher fetcher, RandomGenerator random) {
            return new Parts(
                    disk,
                    processes,
                    fetcher,
                    (_, _, alive) -> alive ? "" : "the process is not there",
                    new SystemTicker(),
                    random,
                    Duration.ofSeconds(2),
                    _ -> ExecutorLock.uncontested());
        }
    }

    private OpsAgent(OpsAgentConfig config, Parts parts) {
        this.config = config;
        this.parts = parts;
        this.lock = parts.lock().apply(config.stateDirectory());
        Wakeup speak = new Wakeup();
        this.care = new NodeCare(config, parts, lock.isHeld(), speak::signal);
        SessionTimes times =
                new SessionTimes(
                        config.heartbeatFallback(),
                        config.heartbeatFallback(),
                        config.reconnectCap(),
                        refusedCap(config.reconnectCap()));
        GatewaySession session =
                new GatewaySession(
                        config.gateways(),
                        config.token(),
                        times,
                        parts.ticker(),
                        parts.random(),
                        care.slot(),
                        care,
                        speak,
                        parts.metrics());
        this.threads =
                List.of(
                        thread("work", this::work),
                        thread("watch", () -> repeat(care::watch)),
                        thread("probe", () -> repeat(care::probe)),
                        thread("session", session));
    }

    /** Five minutes after a refusal (DESIGN § 6), and never sooner than an ordinary reconnect. */
    private static Duration refusedCap(Duration reconnectCap) {
        Duration five = reconnectCap.multipliedBy(5);
        Duration most = Duration.ofMinutes(5);
        return five.compareTo(most) < 0 ? five : most;
    }

    /**
     * Starts an agent: takes over what runs on the node, takes up an open attempt, dials. Needs no
     * gateway to care for its programs.
     */
    public static OpsAgent start(OpsAgentConfig config, Parts parts) {
        OpsAgent agent = new OpsAgent(config, parts);
        if (!agent.isExecutor()) {
            LOG.warn("Another agent cares for this node: this one stands by");
        }
        agent.care.open();
        agent.lookNoMore = parts.metrics().look(agent.care::programs);
        agent.threads.forEach(Thread::start);
        LOG.info(
                "Agent started stateDirectory={} gateways={}",
                config.stateDirectory(),
                config.gateways());
        return agent;
    }

    private static Thread thread(String name, Runnable loop) {
        return Thread.ofVirtual().name("agent-" + name).unstarted(loop);
    }

    private void work() {
        try {
            while (true) {
                care.work();
                care.awaitWork();
            }
        } catch (AgentStopping _) {
            LOG.debug("Work ended because the agent is being closed");
        }
    }

    private void repeat(Runnable once) {
        try {
            while (true) {
                Duration pause = parts.watch();
                try {
                    once.run();
                } catch (AgentStopping e) {
                    throw e;
                } catch (RuntimeException e) {
                    LOG.warn("The node cannot be watched for the moment", e);
                    pause = TROUBLE;
                }
                parts.ticker().pause(pause);
            }
        } catch (AgentStopping _) {
            LOG.debug("Watching ended because the agent is being closed");
        }
    }

    /** Waits until another agent has taken over. */
    public void awaitStopAsked() throws InterruptedException {
        care.awaitStopAsked();
    }

    /** Whether this agent holds the executor lock of its node. */
    public boolean isExecutor() {
        return care.isExecutor();
    }

    /** Ends the agent; programs run on, and an open attempt is taken up by the next start. */
    @Override
    public void close() {
        lookNoMore.run();
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join(Duration.ofSeconds(10)); // a hanging disk shall not hold the caller
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lock.close();
        LOG.info("Agent closed stateDirectory={}", config.stateDirectory());
    }
}
