package drover.simulation.world;

import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.main.AgentCore;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.runtime.process.SimulatedProcesses.ProgramBehavior;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The machine of a node: disk, processes, clock, and what its programs are like. */
public final class SimulatedMachine {
    private static final Path STATE = Path.of("/state");
    private static final Path ROOT = Path.of("/node");
    private static final Duration SLOWEST_WRITE = Duration.ofMillis(400);

    public final SimulatedTicker ticker;
    private final NodeId id;
    private final SimulatedWorld world;
    private final Fetcher fetcher = new SimulatedFetcher(SimulatedManifestService.artifacts());
    private final Map<Digest, ProgramBehavior> behaviours = new HashMap<>();
    private SimulatedDisk disk = new SimulatedDisk();
    private SimulatedProcesses processes;
    private @Nullable Digest unrestorableAtStartOf; // null unless a fault waits for that start
    private boolean slow;
    private long sickSince = -1; // negative while its probes do not fail
    private int crashAfter = -1; // writes and effects until the crash; negative when none is due
    private boolean powerFailure;
    private boolean dying;

    /** Thrown in the middle of a write or an effect: nothing catches it but the node. */
    static final class SimulatedCrash extends Error {
        private static final long serialVersionUID = 1L;

        SimulatedCrash() {
            super("The agent is gone", null, false, false);
        }
    }

    SimulatedMachine(NodeId id, SimulatedWorld world) {
        this.id = id;
        this.world = world;
        this.ticker = new SimulatedTicker(world.time);
        this.processes = new SimulatedProcesses(disk, ticker, this::behaviorOf);
        InitialProgramInstaller.installSimulated(
                new StateDirectoryAndRoot(STATE, ROOT),
                world.products.stream().map(SimulatedMachine::initialProgram).toList(),
                disk,
                world.random,
                fetcher,
                processes,
                ticker);
        installHooks();
    }

    private static InitialProgramInstallation initialProgram(SimulatedProgramDefinition product) {
        return new InitialProgramInstallation(
                product.spec(1),
                SimulatedProgramDefinition.version(1),
                product.url(1),
                product.digest(1),
                Map.of(product.configPath(), product.config(1)));
    }

    /** Where a file of a program lies. */
    public static Path pathOf(NodePath path) {
        return ROOT.resolve(path.value().substring(1));
    }

    private ProgramBehavior behaviorOf(Digest program) {
        return behaviours.getOrDefault(program, ProgramBehavior.RUNS);
    }

    /** What a version is like on this node. */
    public void setBehavior(
            SimulatedProgramDefinition product, int version, ProgramBehavior behaviour) {
        behaviours.put(product.digest(version), behaviour);
    }

    public void setSlow(boolean isSlow) {
        slow = isSlow;
    }

    /** Whether its probes fail. */
    public void setProbesFailing(boolean isSick) {
        if (!isSick) {
            sickSince = -1;
        } else if (sickSince < 0) {
            sickSince = world.time.nanos();
        }
    }

    /** For how long its probes have failed without a break. */
    public Duration probesFailingFor() {
        return sickSince < 0 ? Duration.ZERO : Duration.ofNanos(world.time.nanos() - sickSince);
    }

    /** The disk holds no more than so much beyond what it holds. */
    public void limitFreeSpace(long bytesLeft) {
        disk.limitCapacity(Long.MAX_VALUE);
        disk.limitCapacity(Long.MAX_VALUE - disk.freeBytes(ROOT) + bytesLeft);
    }

    /** The disk takes only so many more files, those in the agent's directory included. */
    public void limitFreeInodes(int filesLeft) {
        disk.limitNewFiles(filesLeft);
    }

    public void removeSpaceLimit() {
        disk.limitCapacity(Long.MAX_VALUE);
        disk.limitNewFiles(Integer.MAX_VALUE);
    }

    /**
     * Lets a version fail at its next start and makes the directory of its configuration read-only
     * then, so that the agent cannot restore the files of the version before.
     */
    public void failUpgradeAndRestore(SimulatedProgramDefinition product, int version) {
        setBehavior(product, version, ProgramBehavior.FALLS);
        unrestorableAtStartOf = product.digest(version);
    }

    private static Path configDirectory(SimulatedProgramDefinition product) {
        return Objects.requireNonNull(pathOf(product.configPath()).getParent());
    }

    /** An operator corrects what {@link #failUpgradeAndRestore} caused: the version starts. */
    public void repair(SimulatedProgramDefinition product, int version) {
        unrestorableAtStartOf = null;
        disk.allowNewFiles(configDirectory(product));
        setBehavior(product, version, ProgramBehavior.RUNS);
    }

    /** The program falls over by itself. */
    public void crashProgram() {
        processes.allProcesses().keySet().stream().findFirst().ifPresent(processes::crash);
    }

    /** Crashes in the middle of the work, so many writes and effects from now. */
    public void scheduleCrash(int effects, boolean power) {
        crashAfter = effects;
        powerFailure = power;
    }

    boolean crashLosesPower() {
        return powerFailure;
    }

    /** Whether it has crashed in the middle of work whose end the world has yet to reach. */
    boolean isDying() {
        return dying;
    }

    private void installHooks() {
        disk.setWriteHook(this::delayOrCrash);
        processes.setBeforeStartOrEndHook(this::delayOrCrash);
        processes.addStartObserver(this::reportProgramStart);
    }

    private void reportProgramStart(Processes.LaunchRequest order) {
        SimulatedProgramDefinition product =
                world.products.stream()
                        .filter(one -> pathOf(one.path()).equals(order.program()))
                        .findFirst()
                        .orElseThrow();
        long others = processes.allProcesses().values().stream().filter(product::hasDigest).count();
        world.observer().programStarted(id, product, order, disk, others);
        if (disk.digest(order.program()).equals(unrestorableAtStartOf)) {
            unrestorableAtStartOf = null;
            disk.denyNewFiles(configDirectory(product));
        }
    }

    private void delayOrCrash() {
        if (slow) {
            ticker.pause(world.random.between(Duration.ZERO, SLOWEST_WRITE));
        }
        if (crashAfter > 0) {
            crashAfter--;
        } else if (crashAfter == 0) {
            dying = true;
            throw new SimulatedCrash();
        }
    }

    /** What is left after a crash, of the agent alone or of the power. */
    void crash(boolean power) {
        crashAfter = -1;
        dying = false;
        if (power) {
            SimulatedDisk left = disk.afterPowerFailure(world.random.nextLong());
            SimulatedProcesses none = processes.snapshot(left);
            none.reboot();
            disk = left;
            processes = none;
            installHooks();
        }
    }

    /** A new agent on this machine. */
    AgentCore newAgent(Runnable speak) {
        OpsAgentConfig config =
                new OpsAgentConfig(
                        STATE,
                        ROOT,
                        List.of(new GatewayAddress("in-process:simulated")),
                        "token",
                        "simulated",
                        OpsAgentConfig.START_SETTLE,
                        OpsAgentConfig.HEARTBEAT,
                        OpsAgentConfig.RECONNECT_CAP,
                        "0.1.0");
        OpsAgent.Dependencies parts =
                new OpsAgent.Dependencies(
                        disk,
                        processes,
                        fetcher,
                        (check, timeout, alive) ->
                                sickSince >= 0 || !alive ? "the program does not answer" : "",
                        ticker,
                        world.random,
                        Duration.ofSeconds(2),
                        directory -> ExecutorLock.alwaysHeld());
        return new AgentCore(config, parts, true, speak);
    }

    /** The version whose file and configuration are installed; 0 for a mixture. */
    int installedVersion(SimulatedProgramDefinition product) {
        Digest program = disk.digest(pathOf(product.path()));
        Digest config = disk.digest(pathOf(product.configPath()));
        return SimulatedProgramDefinition.versionNumbers()
                .filter(number -> program.equals(product.digest(number)))
                .filter(number -> config.equals(Digest.of(product.config(number))))
                .findFirst()
                .orElse(0);
    }

    /** Every process there is. */
    public Map<Processes.Pid, Digest> runningPrograms() {
        return Objects.requireNonNull(processes.allProcesses());
    }
}
