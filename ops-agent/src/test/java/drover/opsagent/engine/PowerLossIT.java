package drover.opsagent.engine;

import static drover.opsagent.engine.SimulatedNode.NEW;
import static drover.opsagent.engine.SimulatedNode.NEW_CONFIG;
import static drover.opsagent.engine.SimulatedNode.NEW_PEERS;
import static drover.opsagent.engine.SimulatedNode.OLD;
import static drover.opsagent.engine.SimulatedNode.OLD_CONFIG;
import static drover.opsagent.engine.SimulatedNode.OLD_PEERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FailpointDisk;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.disk.LoopFilesystem;
import drover.opsagent.disk.LoopFilesystem.Cut;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import drover.opsagent.main.Faults;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.ProcessRuntime;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AutoAdvancingTicker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The real disk code on a real ext4 whose power is cut, which turns read-only, or which is full, in
 * the middle of an upgrade: at every write. Needs root and loop devices.
 */
@Faults(
        rule = "D1 (files are old or new after power loss)",
        sample = "CrashEnumerationTest.anUpgradeEndsWholeWhereverItIsStopped")
class PowerLossIT {
    private static final int PLACES = 500; // more than an upgrade has writes
    private static final AtomicInteger CUTS = new AtomicInteger();
    private static final int MEBIBYTES = 64; // the agent asks for 16 MiB of room beside the program

    @TempDir static Path where;

    private final Map<AttemptOutcome, Integer> outcomes = new EnumMap<>(AttemptOutcome.class);

    /** The power is gone: nothing that the agent does after it reaches anything. */
    private static final class PowerLost extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Counts writes down and makes trouble at one of them. */
    private static final class Failpoint implements Runnable {
        private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
        private Runnable trouble = () -> {};

        @Override
        public void run() {
            if (left.getAndDecrement() == 0) {
                trouble.run();
            }
        }

        void at(int write, Runnable what) {
            trouble = what;
            left.set(write);
        }

        void never() {
            left.set(Integer.MAX_VALUE);
        }

        int counted() {
            return Integer.MAX_VALUE - left.get();
        }
    }

    /** A machine whose files are on the real disk and whose processes are simulated. */
    private static final class Machine {
        final Path root;
        final Path state;
        final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
        final Failpoint failpoint = new Failpoint();
        final FailpointDisk disk;
        final SimulatedProcesses processes;

        Machine(LoopFilesystem filesystem) throws IOException {
            this(filesystem, ProgramBehavior.RUNS);
        }

        Machine(LoopFilesystem filesystem, ProgramBehavior ofNew) throws IOException {
            root = filesystem.directory().resolve("node");
            state = filesystem.directory().resolve("state");
            disk = new FailpointDisk(LocalDisk.withJail(root, state), failpoint); // as an agent's
            processes =
                    new SimulatedProcesses(
                            disk,
                            ticker,
                            program ->
                                    program.equals(Digest.of(NEW)) ? ofNew : ProgramBehavior.RUNS);
            Files.createDirectories(root.resolve("bin"));
            Files.createDirectories(root.resolve("etc"));
            Files.createDirectories(state);
            Path program = Files.write(root.resolve("bin/app"), OLD);
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.write(root.resolve("etc/app.toml"), OLD_CONFIG);
            Files.write(root.resolve("etc/peers.toml"), OLD_PEERS);
            Booted agent = new Booted(this, 0);
            agent.state.saveRecord(
                    new NodeProfile(
                            List.of(
                                    new ProgramProfile(
                                            SimulatedNode.spec("old"),
                                            List.of(SimulatedNode.CONFIG, SimulatedNode.PEERS))),
                            List.of(new KnownVersion(Digest.of(OLD), "v1", ""))));
            agent.runtime.setDesiredRunning(
                    SimulatedNode.spec("old"), Digest.of(OLD), SimulatedNode.oldConfigDigest());
            agent.boot();
            filesystem.settle();
            filesystem.restart(); // all of this is on the disk
        }

        /** D1: every file is old or new, and whole. */
        void checkWhole() throws IOException {
            assertThat(Files.readAllBytes(root.resolve("bin/app"))).isIn(OLD, NEW);
            assertThat(Files.readAllBytes(root.resolve("etc/app.toml")))
                    .isIn(OLD_CONFIG, NEW_CONFIG);
            assertThat(Files.readAllBytes(root.resolve("etc/peers.toml")))
                    .isIn(OLD_PEERS, NEW_PEERS);
        }

        /**
         * D15: what was told, while the disk is still as it failed, is so: all old or all new, or
         * that the way back failed. Who told nothing has not begun.
         */
        void checkReported(@Nullable AttemptStatus received, int place) throws IOException {
            AttemptOutcome outcome =
                    received == null
                            ? AttemptOutcome.REFUSED
                            : received.journal().ending().outcome();
            assertThat(outcome)
                    .as("write %d", place)
                    .isIn(
                            AttemptOutcome.SUCCEEDED,
                            AttemptOutcome.FAILED,
                            AttemptOutcome.REFUSED,
                            AttemptOutcome.FAILED_ROLLBACK);
            checkWhole();
            if (outcome == AttemptOutcome.SUCCEEDED) {
                checkAll(NEW, NEW_CONFIG, NEW_PEERS);
            } else if (outcome != AttemptOutcome.FAILED_ROLLBACK) {
                checkAll(OLD, OLD_CONFIG, OLD_PEERS);
            }
            assertThat(processes.allProcesses().values())
                    .as("write %d: what runs, if anything", place)
                    .isSubsetOf(Digest.of(OLD), Digest.of(NEW))
                    .hasSizeLessThan(2);
        }

        /** D3: all of the node is of one version, and so is what runs. */
        void checkAll(byte[] program, byte[] config, byte[] peers) throws IOException {
            assertThat(Files.readAllBytes(root.resolve("bin/app"))).isEqualTo(program);
            assertThat(Files.readAllBytes(root.resolve("etc/app.toml"))).isEqualTo(config);
            assertThat(Files.readAllBytes(root.resolve("etc/peers.toml"))).isEqualTo(peers);
            assertThat(processes.allProcesses().values()).containsExactly(Digest.of(program));
        }
    }

    /** An agent on it. */
    private static final class Booted {
        final StateDirectory state;
        final ProcessRuntime runtime;
        final StatusSlot slot;
        final CommandProcessor processor;

        Booted(Machine machine, int number) {
            state =
                    new StateDirectory(
                            machine.state, new DurableFiles(machine.disk, new Random(number)));
            runtime =
                    new ProcessRuntime(
                            "simulated",
                            new RuntimeContext(
                                    state,
                                    machine.root,
                                    new SimulatedFetcher(Map.of(SimulatedNode.URL, NEW)),
                                    machine.processes,
                                    machine.ticker,
                                    Duration.ofSeconds(1)));
            slot = new StatusSlot(machine.ticker, () -> {});
            processor = new CommandProcessor(state, runtime, machine.ticker, slot, true);
        }

        Booted boot() {
            processor.startIncarnation();
            processor.recoverOpenAttempt();
            runtime.supervise(
                    List.of(Objects.requireNonNull(state.loadProfile().findProgram("app")).spec()));
            return this;
        }

        Journal journal() {
            return Objects.requireNonNull(
                    new JournalStore(state).loadJournal(1), "the journal is lost");
        }
    }

    @BeforeAll
    static void needsAnExt4() {
        String missing = LoopFilesystem.missing(where);
        assumeTrue(missing.isEmpty(), missing);
    }

    @AfterAll
    static void enoughCuts() {
        int cuts = CUTS.get();
        if (cuts > 0) {
            assertThat(cuts).as("power cuts").isGreaterThanOrEqualTo(500);
        }
    }

    private LoopFilesystem filesystem() throws IOException {
        return LoopFilesystem.of(where, MEBIBYTES);
    }

    private int writesOfAnUpgrade(ProgramBehavior ofNew, AttemptOutcome end) throws IOException {
        try (LoopFilesystem filesystem = filesystem()) {
            Machine machine = new Machine(filesystem, ofNew);
            Booted agent = new Booted(machine, 1).boot();
            machine.failpoint.never();
            agent.processor.process(SimulatedNode.upgrade(1));
            assertThat(agent.journal().ending().outcome())
                    .as("%s", agent.journal().ending().detail())
                    .isEqualTo(end);
            return machine.failpoint.counted();
        }
    }

    /** Places in an upgrade that succeeds. */
    private List<Integer> places() throws IOException {
        return places(writesOfAnUpgrade(ProgramBehavior.RUNS, AttemptOutcome.SUCCEEDED));
    }

    /** Places spread evenly over all writes, ends included. */
    private static List<Integer> places(int writes) {
        assertThat(writes).isGreaterThan(60);
        int count = Math.min(PLACES, writes);
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            places.add(i * (writes - 1) / (count - 1));
        }
        return places;
    }

    @Test
    @DisplayName(
            "D1 D3 D6: the power fails anywhere: every file is old or new, the journal readable")
    void theNodeIsWholeAfterThePowerFailed() throws IOException {
        powerFailsEverywhere(ProgramBehavior.RUNS, AttemptOutcome.SUCCEEDED);
    }

    @Test
    @DisplayName("D1 D4 D6: and so it is where a new program falls over and the old one comes back")
    void theNodeIsWholeAfterThePowerFailedOnTheWayBack() throws IOException {
        powerFailsEverywhere(ProgramBehavior.FALLS, AttemptOutcome.FAILED);
    }

    private void powerFailsEverywhere(ProgramBehavior ofNew, AttemptOutcome end)
            throws IOException {
        List<Integer> places = places(writesOfAnUpgrade(ofNew, end));
        for (int place : places) {
            for (Cut cut : Cut.values()) {
                try (LoopFilesystem filesystem = filesystem()) {
                    powerFails(new Machine(filesystem, ofNew), filesystem, place, cut);
                }
            }
        }
        int cuts = places.size() * Cut.values().length;
        System.out.println("Power cut " + cuts + " times, two ways: " + outcomes);
        assertThat(outcomes.keySet()).contains(end);
        CUTS.addAndGet(cuts);
    }

    private void powerFails(Machine machine, LoopFilesystem filesystem, int place, Cut cut)
            throws IOException {
        Booted before = new Booted(machine, 1).boot();
        machine.failpoint.at(
                place,
                () -> {
                    filesystem.cut(cut);
                    throw new PowerLost();
                });
        try {
            before.processor.process(SimulatedNode.upgrade(1));
            throw new AssertionError("the power did not fail at write " + place);
        } catch (PowerLost _) {
            machine.failpoint.never();
        }
        filesystem.restart();
        machine.processes.reboot();
        machine.checkWhole();
        checkEnd(machine, new Booted(machine, 2).boot(), place);
    }

    private void checkEnd(Machine machine, Booted agent, int place) throws IOException {
        agent.processor.process(SimulatedNode.upgrade(1));
        Journal journal = agent.journal();
        AttemptOutcome outcome = journal.ending().outcome();
        outcomes.merge(outcome, 1, Integer::sum);
        assertThat(outcome)
                .as("write %d: %s", place, journal.ending())
                .isIn(AttemptOutcome.SUCCEEDED, AttemptOutcome.FAILED, AttemptOutcome.REFUSED);
        if (outcome == AttemptOutcome.SUCCEEDED) {
            machine.checkAll(NEW, NEW_CONFIG, NEW_PEERS);
        } else {
            machine.checkAll(OLD, OLD_CONFIG, OLD_PEERS);
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = SEPARATE_THREAD)
    @DisplayName("D15: a file system that turns read-only in the middle leaves a node that says so")
    void reportsAReadOnlyFileSystem() throws IOException {
        for (int place : places()) {
            try (LoopFilesystem filesystem = filesystem()) {
                Machine machine = new Machine(filesystem);
                Booted agent = new Booted(machine, 1).boot();
                machine.failpoint.at(place, filesystem::turnReadOnly);
                try {
                    agent.processor.process(SimulatedNode.upgrade(1));
                } catch (DiskFailure _) {
                    // Before its journal is durable an attempt has not begun: the leader asks again
                }
                machine.failpoint.never();
                machine.checkReported(agent.slot.currentStatus(), place);
                filesystem.repair();
                machine.processes.reboot(); // and restart the machine
                checkRepaired(machine, new Booted(machine, 2).boot(), place);
            }
        }
    }

    /** All old or all new, or it was told that the way back failed. */
    private void checkRepaired(Machine machine, Booted agent, int place) throws IOException {
        agent.processor.process(SimulatedNode.upgrade(1));
        AttemptOutcome outcome = agent.journal().ending().outcome();
        if (outcome == AttemptOutcome.FAILED_ROLLBACK) {
            machine.checkWhole();
        } else {
            checkEnd(machine, agent, place);
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = SEPARATE_THREAD)
    @DisplayName("D16: a disk that is filled in the middle ends all old, or all new, or is told")
    void endsWholeWhenTheDiskIsFilled() throws IOException {
        for (int place : places()) {
            try (LoopFilesystem filesystem = filesystem()) {
                Machine machine = new Machine(filesystem);
                Booted agent = new Booted(machine, 1).boot();
                Path ballast = filesystem.directory().resolve("ballast");
                machine.failpoint.at(place, () -> fill(ballast));
                try {
                    agent.processor.process(SimulatedNode.upgrade(1));
                } catch (DiskFailure _) {
                    // Before its journal is durable an attempt has not begun: the leader asks again
                }
                machine.failpoint.never();
                machine.checkReported(agent.slot.currentStatus(), place);
                Files.delete(ballast);
                checkRepaired(machine, agent, place);
            }
        }
    }

    /** Takes every block that is left. */
    private static void fill(Path ballast) {
        byte[] block = new byte[64 * 1024];
        for (int size = block.length; size > 0; size /= 2) {
            try (var out =
                    Files.newOutputStream(
                            ballast,
                            java.nio.file.StandardOpenOption.CREATE,
                            java.nio.file.StandardOpenOption.APPEND)) {
                while (true) {
                    out.write(block, 0, size);
                }
            } catch (IOException _) {
                // full for pieces of this size
            }
        }
    }
}
