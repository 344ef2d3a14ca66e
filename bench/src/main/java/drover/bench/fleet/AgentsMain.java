package drover.bench.fleet;

import drover.bench.fleet.BenchNode.BenchRelease;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Runs many agents in one process until it is killed: the product's own agents, each with its own
 * connection, on disks and processes that exist in memory alone.
 */
public final class AgentsMain {
    private static final StateDirectoryAndRoot LAYOUT =
            new StateDirectoryAndRoot(Path.of("/state"), Path.of("/node"));
    private static final Duration HEARTBEAT = Duration.ofSeconds(30); // the gateway's word counts

    // Programs here do not fall by themselves: looking for it would be all that is measured.
    private static final Duration WATCH = Duration.ofMinutes(1);

    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private static final SimulatedFetcher ARTIFACTS =
            new SimulatedFetcher(
                    Arrays.stream(BenchRelease.values())
                            .collect(Collectors.toMap(BenchRelease::url, BenchRelease::bytes)));

    private static final List<SettingDefinition> SETTINGS =
            List.of(
                    SettingDefinition.required("gateway", "HOST:PORT,...", "Where agents dial."),
                    SettingDefinition.required("first", "N", "Number of the first agent."),
                    SettingDefinition.required("count", "N", "How many there are."),
                    SettingDefinition.of(
                            "effects", "FILE", "Where each start of a program is noted.", ""),
                    SettingDefinition.of("receipts", "FILE", "When each command was taken.", ""),
                    SettingDefinition.of(
                            "acknowledged", "FILE", "Where acknowledgements are noted.", ""),
                    SettingDefinition.of(
                            "fetch-unless", "FILE", "Downloads wait while it is there.", ""),
                    SettingDefinition.of("identities", "DIR", "What they were enrolled with.", ""),
                    SettingDefinition.of(
                            "trust", "FILE", "Root of trust; what is not signed is refused.", ""),
                    SettingDefinition.of(
                            "dial-again", "SECONDS", "Within which they dial again.", "5"));

    private AgentsMain() {}

    /** {@code --gateway host:port,... --first N --count N}. */
    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        Settings settings = Settings.read("agents", SETTINGS, arguments, Map.of());
        List<GatewayAddress> gateways = GatewayAddress.parseAll(List.of(settings.get("gateway")));
        StartedProgramLog effects = StartedProgramLog.open(settings.get("effects"));
        Optional<CommandReceiptFile> receipts =
                Optional.of(settings.get("receipts"))
                        .filter(file -> !file.isEmpty())
                        .map(file -> new CommandReceiptFile(Path.of(file)));
        AcknowledgedStatusLog acknowledged =
                AcknowledgedStatusLog.open(settings.get("acknowledged"));
        int first = Integer.parseInt(settings.get("first"));
        int count = Integer.parseInt(settings.get("count"));
        for (int number = first; number < first + count; number++) {
            BenchNode node = new BenchNode(number);
            start(node, gateways, effects, receipts, settings)
                    .setAcknowledgeObserver(status -> acknowledged.record(node.id(), status));
        }
        new CountDownLatch(1).await(); // nothing here is worth ending politely
    }

    private static OpsAgent start(
            BenchNode node,
            List<GatewayAddress> gateways,
            StartedProgramLog effects,
            Optional<CommandReceiptFile> receipts,
            Settings settings) {
        Ticker ticker = new SystemTicker();
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(
                LAYOUT.stateDirectory().resolve("disk"), new byte[0], FileAttributes.PRIVATE);
        disk.putDurableFile(LAYOUT.root().resolve("disk"), new byte[0], FileAttributes.PRIVATE);
        String identities = settings.get("identities");
        if (!identities.isEmpty()) {
            disk.putDurableFile(
                    LAYOUT.stateDirectory().resolve(IdentityFile.NAME),
                    readIdentity(Path.of(identities, node.id().value())),
                    FileAttributes.PRIVATE);
        }
        SimulatedProcesses processes =
                new SimulatedProcesses(disk, ticker, _ -> SimulatedProcesses.ProgramBehavior.RUNS);
        Random random = new Random(node.number());
        install(disk, processes, random, ticker);
        processes.addStartObserver(
                order -> effects.recordStart(node.id(), disk.digest(order.program())));
        Disk used = receipts.map(it -> withReceipts(it, node, disk, ticker)).orElse(disk);
        Fetcher fetcher = fetcherWaitingForDeletion(settings.get("fetch-unless"));
        OpsAgent.Dependencies usual =
                OpsAgent.Dependencies.simulated(used, processes, fetcher, random);
        StateDirectory state =
                new StateDirectory(LAYOUT.stateDirectory(), new DurableFiles(disk, random));
        RuntimeRegistry runtimes =
                Optional.of(settings.get("trust"))
                        .filter(file -> !file.isEmpty())
                        .map(
                                file ->
                                        new SignedOnlyPolicyFactory(Path.of(file))
                                                .createPolicy(node, state))
                        .map(policy -> usual.runtimes().withPolicy(policy))
                        .orElse(usual.runtimes());
        return OpsAgent.start(
                new OpsAgentConfig(
                        LAYOUT.stateDirectory(),
                        LAYOUT.root(),
                        gateways,
                        identities.isEmpty() ? node.token() : "",
                        "simulated",
                        Duration.ZERO,
                        HEARTBEAT,
                        Duration.ofSeconds(Integer.parseInt(settings.get("dial-again"))),
                        "bench"),
                new OpsAgent.Dependencies(
                        used,
                        processes,
                        fetcher,
                        usual.probes(),
                        ticker,
                        random,
                        WATCH,
                        usual.lock(),
                        usual.metrics(),
                        runtimes));
    }

    /** Of artifacts that are there as soon as this file is not; so a node is at work till then. */
    private static Fetcher fetcherWaitingForDeletion(String file) {
        if (file.isEmpty()) {
            return ARTIFACTS;
        }
        return (artifact, into, deadline, percent) -> {
            while (Files.exists(Path.of(file))) {
                LockSupport.parkNanos(POLL_INTERVAL.toNanos());
            }
            ARTIFACTS.fetch(artifact, into, deadline, percent);
        };
    }

    private static Disk withReceipts(
            CommandReceiptFile receipts, BenchNode node, Disk disk, Ticker ticker) {
        return new JournalNotifyingDisk(
                disk, attempt -> receipts.recordIfFirst(node.id(), attempt, ticker.wallClock()));
    }

    private static byte[] readIdentity(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static void install(
            SimulatedDisk disk, SimulatedProcesses processes, Random random, Ticker ticker) {
        BenchRelease first = BenchRelease.V1;
        InitialProgramInstaller.installSimulated(
                LAYOUT,
                List.of(
                        new InitialProgramInstallation(
                                BenchNode.PROGRAM,
                                first.version(),
                                first.url(),
                                first.digest(),
                                Map.of())),
                disk,
                random,
                ARTIFACTS,
                processes,
                ticker);
    }
}
