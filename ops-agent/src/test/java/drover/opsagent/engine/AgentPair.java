package drover.opsagent.engine;

import drover.model.Digest;
import drover.opsagent.admission.AgentFeatures;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FailpointDisk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.ForwardingDisk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.ProcessRuntime;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.selfupgrade.AgentVersionNumber;
import drover.opsagent.selfupgrade.AgentVersionsDirectory;
import drover.opsagent.selfupgrade.SimulatedSuccessorAgents;
import drover.opsagent.selfupgrade.VersionSelfTest;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AgentStopping;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.CommandAuthorizer;
import drover.opsagent.trust.ReleaseAuthorizerAndRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;

/**
 * One node with two versions of its agent, of which one at a time holds the lock; the control plane
 * is played in the pauses that the agent makes. Real files, for the link is one.
 */
final class AgentPair {
    static final AgentVersionNumber ONE = AgentVersionNumber.of("1.0.0");
    static final AgentVersionNumber TWO = AgentVersionNumber.of("2.0.0");
    static final byte[] OLD = SimulatedNode.bytes("agent one");
    static final byte[] NEW = SimulatedNode.bytes("agent two");
    static final String URL = "http://artifacts.example/agent-2";
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int MOST_STARTS = 20; // of agents in one attempt; three crashes suffice

    final Path directory;
    final SimulatedSuccessorAgents successors = new SimulatedSuccessorAgents();
    final PausingTicker ticker = new PausingTicker();
    VersionSelfTest selfTest = (jar, version, deadline) -> {};
    byte[] served = NEW;
    boolean acknowledges = true;
    boolean receives = true;
    boolean reportsSeen;
    boolean losesPower; // when one agent is killed, so is the other; the machine starts `current`
    ReleaseAuthorizerAndRecorder releases = ReleaseAuthorizerAndRecorder.ALLOW_ALL;
    CommandAuthorizer commands = CommandAuthorizer.ALLOW_ALL;
    Optional<AgentFinding> finding =
            Optional.empty(); // of the agent that brought the latest attempt to its end
    byte[] stopSigned = new byte[0];
    Runnable beforeEachWrite = () -> {};
    private int agents;

    /** Stops an agent as kill -9 does. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    AgentPair(Path directory) throws IOException {
        this.directory = directory;
        install(ONE, OLD);
        Files.createSymbolicLink(versions().directory().resolve("current"), Path.of("v1.0.0"));
    }

    void install(AgentVersionNumber version, byte[] jar) throws IOException {
        Path file = versions().jar(version);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.write(file, jar);
    }

    AgentVersionsDirectory versions() {
        DurableFiles files =
                new DurableFiles(
                        new FailpointDisk(new UnsyncedDisk(), () -> beforeEachWrite.run()),
                        new Random(agents));
        return new AgentVersionsDirectory(
                directory.resolve("versions"), files, new SimulatedFetcher(Map.of(URL, served)));
    }

    Agent agent(AgentVersionNumber version) {
        agents++;
        return new Agent(version);
    }

    static CommandWithContents upgrade(long attempt) {
        return delivery(
                attempt,
                new Work.AgentUpgrade(
                        "2.0.0",
                        new Artifact(URL, Digest.of(NEW), NEW.length),
                        Digest.of(OLD).value(),
                        0));
    }

    static CommandWithContents restore(long attempt, long of) {
        return delivery(
                attempt,
                new Work.Restore(
                        Work.AgentUpgrade.PROGRAM,
                        of,
                        Digest.of(OLD),
                        AgentPackaging.CONFIG,
                        null));
    }

    static CommandWithContents delivery(long attempt, Work work) {
        return new CommandWithContents(
                new ParsedCommand(
                        "node-1",
                        "rollout-1",
                        attempt,
                        1,
                        Digest.of("body " + attempt).value(),
                        List.of(AgentFeatures.AGENT_UPGRADE),
                        new ParsedCommand.WorkParseResult.Valid(work)),
                Duration.ofMinutes(10),
                Map.of());
    }

    /**
     * Gives the work to one agent and lets whoever may go on until the attempt is over.
     *
     * @param heirFirst whether after a crash the other agent is faster than the supervisor
     */
    Journal toTheEnd(AgentVersionNumber first, CommandWithContents delivery, boolean heirFirst) {
        AgentVersionNumber next = first;
        for (int starts = 0; starts < MOST_STARTS; starts++) {
            AgentVersionNumber other = next.equals(ONE) ? TWO : ONE;
            Agent agent = agent(next);
            try {
                agent.boot();
                agent.processor.process(delivery);
            } catch (AgentStopping left) {
                if (!agent.left || !successors.isAlive(other)) {
                    throw new IllegalStateException("It left the node to nobody", left);
                }
                successors.crash(next);
                next = other;
                continue;
            } catch (Killed killed) {
                successors.crash(next);
                next = startedAfterAKill(next, other, heirFirst);
                continue;
            }
            finding = Optional.ofNullable(agent.processor.latestCommandFinding());
            return agent.journal(delivery.command().attempt());
        }
        throw new IllegalStateException("The attempt does not end");
    }

    private AgentVersionNumber startedAfterAKill(
            AgentVersionNumber killed, AgentVersionNumber other, boolean heirFirst) {
        if (losesPower) {
            successors.crash(other);
            return Objects.requireNonNull(
                    versions().readCurrentVersion(), "the link names nothing");
        }
        return heirFirst && successors.isAlive(other) ? other : killed;
    }

    /** An agent that holds the lock. */
    final class Agent {
        final AgentVersionNumber version;
        final ControlPlaneHandoverSignals notices = new ControlPlaneHandoverSignals();
        final StatusSlot slot = new StatusSlot(ticker, () -> {});
        final StateDirectory state;
        final CommandProcessor processor;
        boolean left;

        Agent(AgentVersionNumber version) {
            this.version = version;
            AgentVersionsDirectory versions = versions();
            state = new StateDirectory(directory.resolve("state"), versions.files());
            byte[] bytes = version.equals(ONE) ? OLD : NEW;
            AgentPackaging itself =
                    new AgentPackaging.SelfUpgradable(
                            version.toString(),
                            version,
                            Digest.of(bytes),
                            "boot:" + agents + ":1",
                            () -> Duration.ZERO,
                            versions,
                            successors,
                            selfTest,
                            TIMEOUT);
            ProcessRuntime runtime =
                    new ProcessRuntime(
                            "process",
                            new RuntimeContext(
                                    state,
                                    directory.resolve("root"),
                                    versions.fetcher(),
                                    new SimulatedProcesses(
                                            versions.files().disk(),
                                            ticker,
                                            _ -> SimulatedProcesses.ProgramBehavior.RUNS),
                                    ticker,
                                    Duration.ofSeconds(1)));
            processor =
                    new CommandProcessor(
                            state,
                            runtime,
                            ticker,
                            slot,
                            true,
                            new SelfUpgradeDependencies(itself, notices, () -> left = true),
                            releases,
                            commands);
        }

        Agent boot() {
            ticker.during = this::controlPlane;
            processor.startIncarnation();
            processor.recoverOpenAttempt();
            return this;
        }

        private void controlPlane() {
            AttemptStatus status = slot.currentStatus();
            if (status == null || !acknowledges) {
                return;
            }
            long attempt = status.journal().attempt();
            slot.acknowledge(attempt, status.sequence());
            if (status.journal().assignment().work() instanceof Work.AgentUpgrade work
                    && status.isHandingOver()) {
                boolean alive = successors.isAlive(AgentVersionNumber.of(work.targetVersion()));
                if (receives && alive) {
                    notices.setStopRequest(attempt, work.artifact().digest().value(), stopSigned);
                }
                if (reportsSeen) {
                    notices.setSuccessorConnected(attempt);
                }
            }
        }

        Journal journal(long attempt) {
            return Objects.requireNonNull(new JournalStore(state).loadJournal(attempt));
        }
    }

    /** Time that moves by waiting, and lets others act meanwhile. */
    static final class PausingTicker implements Ticker {
        private long nanos;
        Runnable during = () -> {};

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public Instant wallClock() {
            return Instant.EPOCH;
        }

        @Override
        public void pause(Duration duration) {
            nanos += duration.toNanos();
            during.run();
        }
    }

    /** Nobody cuts the power here, and waiting for the disk is what takes the time. */
    private static final class UnsyncedDisk extends ForwardingDisk {
        UnsyncedDisk() {
            super(new LocalDisk());
        }

        @Override
        public DiskFileWriter createExclusive(Path file) {
            DiskFileWriter created = super.createExclusive(file);
            return new DiskFileWriter() {
                @Override
                public void write(byte[] bytes, int offset, int length) {
                    created.write(bytes, offset, length);
                }

                @Override
                public void reserve(long bytes) {
                    created.reserve(bytes);
                }

                @Override
                public void truncate() {
                    created.truncate();
                }

                @Override
                public void setAttributes(FileAttributes attributes) {
                    created.setAttributes(attributes);
                }

                @Override
                public void sync() {
                    // as the class says
                }

                @Override
                public void close() {
                    created.close();
                }
            };
        }

        @Override
        public void syncDirectory(Path directory) {
            // as the class says
        }
    }
}
