package drover.opsagent.main;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.engine.ControlPlaneHandoverSignals;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.engine.SelfUpgradeDependencies;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.HttpFetcher;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.identity.RenewalLoop;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.GatewaySessionLoop;
import drover.opsagent.peers.LoopWakeup;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.peers.NodeLogContext;
import drover.opsagent.peers.SessionTimings;
import drover.opsagent.probe.LocalProbeRunner;
import drover.opsagent.probe.ProbeRunner;
import drover.opsagent.reconnect.ReconnectPlan;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One agent, caring for one node. Closing it leaves the node's programs running; the next start
 * takes them over and goes on from the journal. A few virtual threads, no state shared between
 * agents of one process.
 */
public final class OpsAgent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpsAgent.class);
    private static final Duration RETRY_INTERVAL =
            Duration.ofSeconds(5); // between tries of a failing loop

    private static final Duration LOCK_POLL_INTERVAL =
            Duration.ofMillis(200); // far less than a start of an agent takes

    private static final Duration STANDBY_RECONNECT_CAP = Duration.ofSeconds(5);

    private final OpsAgentConfig config;
    private final Dependencies dependencies;
    private final AgentPackaging installation;
    private final ExecutorLock lock;
    private final IdentityFile identity;
    private final CountDownLatch stopRequested = new CountDownLatch(1);
    private final CountDownLatch becameExecutor = new CountDownLatch(1);
    private final Thread standbyThread = newThread("heir", this::awaitLockAndTakeOver);
    private volatile AgentThreads runtimeThreads;
    private final String initialNodeId =
            NodeLogContext.current(); // set by the caller, if it knows the node
    private boolean closed;
    private Runnable unregisterGauge = () -> {};

    /**
     * What an agent stands on.
     *
     * @param supervisionInterval how often fallen programs are looked for and due probes tried
     * @param lock takes the executor lock of a state directory
     * @param metrics of the process; agents may share them
     * @param runtimes one of which cares for the node's programs
     */
    public record Dependencies(
            Disk disk,
            Processes processes,
            Fetcher fetcher,
            ProbeRunner probes,
            Ticker ticker,
            RandomGenerator random,
            Duration supervisionInterval,
            Function<Path, ExecutorLock> lock,
            AgentMetrics metrics,
            RuntimeRegistry runtimes) {
        /** With metrics that nobody looks at, and the runtimes that come with the agent. */
        public Dependencies(
                Disk disk,
                Processes processes,
                Fetcher fetcher,
                ProbeRunner probes,
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
                    RuntimeRegistry.builtIn(Map.of()));
        }

        /** This machine's own disk, processes and network. */
        public static Dependencies local(DownloadPolicy downloads) {
            return local(
                    new LocalDisk(),
                    downloads,
                    new AgentMetrics(),
                    RuntimeRegistry.builtIn(Map.of()));
        }

        /** The same, measured, with a disk and a choice of runtimes. */
        public static Dependencies local(
                Disk disk,
                DownloadPolicy downloads,
                AgentMetrics metrics,
                RuntimeRegistry runtimes) {
            Ticker ticker = new SystemTicker();
            return new Dependencies(
                    disk,
                    new LinuxProcesses(ticker),
                    new HttpFetcher(downloads, ticker),
                    new LocalProbeRunner(runtimes.policy()),
                    ticker,
                    new SecureRandom(),
                    Duration.ofMillis(500),
                    ExecutorLock::tryAcquire,
                    metrics,
                    runtimes);
        }

        /** The same with other ways to artifacts. */
        public Dependencies withFetcher(Fetcher other) {
            return new Dependencies(
                    disk,
                    processes,
                    other,
                    probes,
                    ticker,
                    random,
                    supervisionInterval,
                    lock,
                    metrics,
                    runtimes);
        }

        /** A simulated node in real time; thousands fit into one process. */
        public static Dependencies simulated(
                Disk disk, Processes processes, Fetcher fetcher, RandomGenerator random) {
            return new Dependencies(
                    disk,
                    processes,
                    fetcher,
                    (_, _, alive) -> alive ? "" : "the process is not there",
                    new SystemTicker(),
                    random,
                    Duration.ofSeconds(2),
                    _ -> ExecutorLock.alwaysHeld());
        }
    }

    private OpsAgent(OpsAgentConfig config, Dependencies parts, AgentPackaging itself) {
        this.config = config;
        this.dependencies = parts;
        this.installation = itself;
        this.identity = IdentityFile.in(config.stateDirectory(), parts.disk(), parts.random());
        this.lock = parts.lock().apply(config.stateDirectory());
        try {
            this.runtimeThreads = new AgentThreads(lock.isHeld(), 0);
        } catch (RuntimeException | Error e) {
            lock.close(); // the node must not stay locked for the rest of the process
            throw e;
        }
    }

    /** The threads of an agent, as executor or as standby, and what they work on. */
    private final class AgentThreads {
        final AgentCore core;
        final GatewaySessionLoop session;
        final List<Thread> threads;

        AgentThreads(boolean executor, long connectionsBefore) {
            LoopWakeup speak = new LoopWakeup();
            SelfUpgradeDependencies replacement =
                    new SelfUpgradeDependencies(
                            installation,
                            new ControlPlaneHandoverSignals(),
                            stopRequested::countDown);
            this.core = new AgentCore(config, dependencies, executor, speak::signal, replacement);
            this.session = createSession(core, speak, connectionsBefore);
            this.threads =
                    Stream.concat(
                                    Stream.of(
                                            newThread("work", this::runWorkLoop),
                                            newThread(
                                                    "watch",
                                                    () -> runLoop(core::supervisePrograms)),
                                            newThread("probe", () -> runLoop(core::runDueProbes)),
                                            newThread("log", this::runLogLoop),
                                            newThread("session", session)),
                                    createRenewalThread(executor, core))
                            .toList();
        }

        void start() {
            core.startIncarnation();
            threads.forEach(Thread::start);
        }

        private void runWorkLoop() {
            try {
                while (true) {
                    NodeLogContext.setIfValid(nodeId());
                    core.processPending();
                    core.awaitWork();
                }
            } catch (AgentStopping _) {
                LOG.debug("Work ended because the agent is being closed");
            }
        }

        private void runLogLoop() {
            try {
                while (true) {
                    core.awaitLogRequest();
                    NodeLogContext.setIfValid(nodeId());
                    core.readRequestedLog();
                }
            } catch (AgentStopping _) {
                LOG.debug("Reads of logs ended because the agent is being closed");
            }
        }

        /** Ends the threads; a hanging disk does not hold the caller. */
        void stop() {
            threads.forEach(Thread::interrupt);
            core.closeProbes();
            try {
                for (Thread thread : threads) {
                    if (thread.getState() != Thread.State.NEW) { // the start of the agent failed
                        thread.join(Duration.ofSeconds(10));
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * A standby is waited for by its predecessor, for a minute by default; it dials again sooner
     * than a fleet of agents may.
     */
    private Duration reconnectCap(boolean executor) {
        Duration cap = config.reconnectCap();
        return executor || cap.compareTo(STANDBY_RECONNECT_CAP) < 0 ? cap : STANDBY_RECONNECT_CAP;
    }

    private GatewaySessionLoop createSession(
            AgentCore care, LoopWakeup speak, long connectionsBefore) {
        Duration cap = reconnectCap(care.isExecutor());
        SessionTimings times =
                new SessionTimings(
                        config.heartbeatFallback(),
                        config.heartbeatFallback(),
                        new ReconnectPlan.DelayCaps(cap, rejectedReconnectCap(cap)));
        return new GatewaySessionLoop(
                config.gateways(),
                createCredential(care.isExecutor()),
                times,
                dependencies.ticker(),
                dependencies.random(),
                care.statusSlot(),
                care,
                speak,
                dependencies.metrics(),
                connectionsBefore);
    }

    private NodeCredential createCredential(boolean executor) {
        return executor
                ? config.createExecutorCredential(identity, dependencies.ticker()::wallClock)
                : config.createCredential(identity);
    }

    /** Only the executor renews, and only what is a certificate. */
    private Stream<Thread> createRenewalThread(boolean executor, AgentCore care) {
        return Stream.of(config)
                .filter(it -> executor && it.token().isEmpty())
                .map(
                        it ->
                                new RenewalLoop(
                                        identity,
                                        it.gateways(),
                                        it.enrollment(),
                                        dependencies.ticker(),
                                        dependencies.random(),
                                        care::reportRenewalFindingIfChanged))
                .map(renewing -> newThread("identity", renewing));
    }

    /** Five minutes after a refusal (DESIGN § 6), and never sooner than an ordinary reconnect. */
    private static Duration rejectedReconnectCap(Duration reconnectCap) {
        Duration five = reconnectCap.multipliedBy(5);
        Duration most = Duration.ofMinutes(5);
        return five.compareTo(most) < 0 ? five : most;
    }

    /**
     * Starts an agent that is part of something else: takes over what runs on the node, takes up an
     * open attempt, dials. Needs no gateway to care for its programs.
     */
    public static OpsAgent start(OpsAgentConfig config, Dependencies parts) {
        return start(config, parts, new AgentPackaging.Embedded());
    }

    /**
     * Starts an agent. While another one cares for the node it stands by, and takes over as soon as
     * that one has ended.
     *
     * @param itself what it is to itself
     */
    public static OpsAgent start(OpsAgentConfig config, Dependencies parts, AgentPackaging itself) {
        OpsAgent agent = new OpsAgent(config, parts, itself);
        try {
            NodeLogContext.run(agent.nodeId(), agent::start);
        } catch (RuntimeException | Error e) {
            agent.close();
            throw e;
        }
        return agent;
    }

    private synchronized void start() {
        if (lock.isHeld()) {
            startExecutor();
        } else {
            LOG.warn("Another agent cares for this node: this one stands by");
            runtimeThreads.start();
            standbyThread.start();
        }
        LOG.info(
                "Agent started stateDirectory={} addresses={}",
                config.stateDirectory(),
                config.gateways());
    }

    private void startExecutor() {
        deleteLeftoverLink();
        runtimeThreads.start();
        unregisterGauge =
                dependencies.metrics().registerPrograms(runtimeThreads.core::programCounts);
        becameExecutor.countDown();
    }

    /** Only who holds the lock swaps the link, and so knows what was left of it. */
    private void deleteLeftoverLink() {
        if (installation instanceof AgentPackaging.SelfUpgradable own) {
            try {
                own.versions().deleteLeftoverLink();
            } catch (DiskFailure e) {
                LOG.warn("What a swap of versions left behind stays for now", e);
            }
        }
    }

    private void awaitLockAndTakeOver() {
        try {
            while (!lock.retryAcquire()) {
                dependencies.ticker().pause(LOCK_POLL_INTERVAL);
            }
            takeOver();
        } catch (AgentStopping _) {
            LOG.debug("Standing by ended because the agent is being closed");
        } catch (RuntimeException e) {
            LOG.error("The node cannot be taken over: the agent ends, to be started again", e);
            stopRequested.countDown();
        }
    }

    /**
     * What it knew as a standby was somebody else's: it begins as an agent that was just started.
     */
    private synchronized void takeOver() {
        if (closed) {
            return;
        }
        LOG.info("The other agent has ended: this one takes over");
        runtimeThreads.stop();
        runtimeThreads = new AgentThreads(true, runtimeThreads.session.connectionAttempts());
        startExecutor();
    }

    private Thread newThread(String name, Runnable loop) {
        return Thread.ofVirtual()
                .name("agent-" + name)
                .unstarted(() -> NodeLogContext.run(nodeId(), loop));
    }

    /** The node that log lines name; empty if it is not known yet. */
    private String nodeId() {
        String known = runtimeThreads.core.nodeId();
        return known.isEmpty() ? initialNodeId : known;
    }

    private void runLoop(Runnable once) {
        try {
            while (true) {
                Duration pause = dependencies.supervisionInterval();
                try {
                    NodeLogContext.setIfValid(nodeId());
                    once.run();
                } catch (AgentStopping e) {
                    throw e;
                } catch (RuntimeException e) {
                    LOG.warn("The node cannot be watched for the moment", e);
                    pause = RETRY_INTERVAL;
                }
                dependencies.ticker().pause(pause);
            }
        } catch (AgentStopping _) {
            LOG.debug("Watching ended because the agent is being closed");
        }
    }

    /** Waits until this agent has to leave the node to another one. */
    public void awaitStopRequested() throws InterruptedException {
        stopRequested.await();
    }

    /** Waits until this agent is the one that cares for its node. */
    public void awaitExecutor() throws InterruptedException {
        becameExecutor.await();
    }

    /** Whether this agent holds the executor lock of its node. */
    public boolean isExecutor() {
        return runtimeThreads.core.isExecutor();
    }

    /**
     * Somebody wants to see each status that the control plane has acknowledged to this agent, from
     * now on until another agent's place is taken.
     *
     * @param observer must not block
     */
    public void setAcknowledgeObserver(Consumer<AttemptStatus> observer) {
        runtimeThreads.core.statusSlot().setAcknowledgeObserver(observer);
    }

    /** Ends the agent; programs run on, and an open attempt is taken up by the next start. */
    @Override
    public void close() {
        NodeLogContext.run(nodeId(), this::stop);
    }

    private void stop() {
        standbyThread.interrupt();
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            unregisterGauge.run();
            runtimeThreads.stop();
            lock.close();
        }
        LOG.info("Agent closed stateDirectory={}", config.stateDirectory());
    }
}
