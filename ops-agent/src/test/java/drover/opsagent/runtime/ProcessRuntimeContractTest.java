package drover.opsagent.runtime;

import drover.model.BinaryName;
import drover.model.ConfigDigest;
import drover.model.Digest;
import drover.model.LaunchSpec;
import drover.model.NodePath;
import drover.model.ProgramIdentity;
import drover.model.ProgramSpec;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileMode;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.script.Artifact;
import drover.opsagent.store.Profile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.ManualTicker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** The runtime of processes keeps the contract. */
class ProcessRuntimeContractTest extends OperationsContract {
    private static final Path ROOT = Path.of("/node");
    private static final NodePath PROGRAM = new NodePath("/bin/app");
    private static final NodePath CONFIG = new NodePath("/etc/app.toml");
    private static final byte[] OLD = "old program".getBytes(StandardCharsets.UTF_8);
    private static final byte[] NEW = "new program".getBytes(StandardCharsets.UTF_8);
    private static final byte[] OLD_CONFIG = "a = 1".getBytes(StandardCharsets.UTF_8);

    private final ManualTicker ticker = new ManualTicker();
    private final SimulatedDisk disk = new SimulatedDisk();
    private final SimulatedProcesses processes =
            new SimulatedProcesses(disk, ticker, _ -> SimulatedProcesses.Behaviour.RUNS);

    @Override
    protected Node node() {
        disk.put(ROOT.resolve("bin/app"), OLD, new FileMode("rwxr-x---", "app", "app"));
        disk.put(ROOT.resolve("etc/app.toml"), OLD_CONFIG, new FileMode("rw-r-----", "app", ""));
        disk.put(Path.of("/state/keep"), OLD, FileMode.PRIVATE);
        StateDirectory state =
                new StateDirectory(Path.of("/state"), new DurableFiles(disk, new Random(1)));
        ProcessRuntime runtime =
                new ProcessRuntime(
                        "simulated",
                        new RuntimePorts(
                                state,
                                ROOT,
                                new SimulatedFetcher(Map.of("http://a.test/new", NEW)),
                                processes,
                                ticker,
                                Duration.ofSeconds(1)));
        ProgramSpec before = spec("old");
        state.keep(new Profile(List.of(new ProgramProfile(before, List.of(CONFIG))), List.of()));
        Digest config =
                ConfigDigest.of(Map.of(CONFIG, Digest.of(OLD_CONFIG)), before.launch().digest());
        runtime.start(before, Digest.of(OLD), config, ticker.in(Duration.ofSeconds(5)));
        return new Node(
                runtime,
                state,
                ticker,
                before,
                spec("new"),
                new Artifact("http://a.test/new", Digest.of(NEW), NEW.length),
                CONFIG,
                "a = 2");
    }

    private static ProgramSpec spec(String argument) {
        return new ProgramSpec(
                new BinaryName("app"),
                "simulated",
                new LaunchSpec(
                        PROGRAM,
                        "",
                        List.of("{path}", argument),
                        Map.of(),
                        "",
                        ProgramIdentity.EXE),
                List.of());
    }

    @Override
    protected SortedMap<String, String> observable() {
        SortedMap<String, String> all = new TreeMap<>();
        disk.digests()
                .forEach(
                        (path, digest) -> {
                            if (path.startsWith(ROOT + "/")) {
                                all.put(path, digest + " " + disk.mode(Path.of(path)));
                            }
                        });
        all.put("running", processes.all().values().toString());
        return all;
    }
}
