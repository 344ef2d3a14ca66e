package drover.opsagent.adopt;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.HttpFetcher;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.process.LinuxProcesses;
import drover.opsagent.runtime.process.ProcessRuntime;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Installs the first version of a node's programs, so that an agent finds a node to care for. The
 * profile is written last: an interrupted installation is done again from the start.
 */
public final class InitialProgramInstaller {
    private static final Duration FETCH_TIME = Duration.ofMinutes(5); // as acquire_artifact

    /** What an installation came to. */
    public enum InstallationResult {
        /** The programs were installed. */
        INSTALLED,
        /** They were installed before; whatever version they have by now was left alone. */
        ALREADY_INSTALLED
    }

    /** The node has other programs. */
    public static final class DifferentProgramsInstalled extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DifferentProgramsInstalled(Path stateDirectory, Set<String> found, Set<String> wanted) {
            super(
                    stateDirectory
                            + " belongs to a node with "
                            + found
                            + ", not "
                            + wanted
                            + ": use another directory, or remove it.");
        }
    }

    private final StateDirectoryAndRoot layout;
    private final StateDirectory state;
    private final NodeRuntime runtime;
    private final Ticker ticker;

    private InitialProgramInstaller(
            StateDirectoryAndRoot layout,
            String runtimeName,
            Disk disk,
            RandomGenerator random,
            Fetcher fetcher,
            Processes processes,
            Ticker ticker) {
        this.layout = layout;
        this.ticker = ticker;
        this.state = new StateDirectory(layout.stateDirectory(), new DurableFiles(disk, random));
        this.runtime =
                new ProcessRuntime(
                        runtimeName,
                        new RuntimeContext(
                                state, layout.root(), fetcher, processes, ticker, Duration.ZERO));
    }

    /**
     * Installs on this machine's disk, artifacts from anywhere including files and loopback. The
     * programs start when the node's agent does.
     *
     * @throws DifferentProgramsInstalled when the state directory belongs to a node with other
     *     programs
     */
    public static InstallationResult install(
            StateDirectoryAndRoot layout, List<InitialProgramInstallation> programs) {
        Ticker ticker = new SystemTicker();
        return new InitialProgramInstaller(
                        layout,
                        "process",
                        new LocalDisk(),
                        new SecureRandom(),
                        new HttpFetcher(DownloadPolicy.forLocalMachine(), ticker),
                        new LinuxProcesses(ticker),
                        ticker)
                .install(programs);
    }

    /** Names of the programs of a node's profile; empty if the node has none. */
    public static Set<String> listInstalledPrograms(StateDirectoryAndRoot layout) {
        StateDirectory state =
                new StateDirectory(
                        layout.stateDirectory(),
                        new DurableFiles(new LocalDisk(), new SecureRandom()));
        return state.loadProfile().programs().stream()
                .map(ProgramProfile::name)
                .collect(Collectors.toSet());
    }

    /** Installs on a simulated node. */
    public static InstallationResult installSimulated(
            StateDirectoryAndRoot layout,
            List<InitialProgramInstallation> programs,
            Disk disk,
            RandomGenerator random,
            Fetcher fetcher,
            Processes processes,
            Ticker ticker) {
        return new InitialProgramInstaller(
                        layout, "simulated", disk, random, fetcher, processes, ticker)
                .install(programs);
    }

    private InstallationResult install(List<InitialProgramInstallation> programs) {
        Set<String> wanted = new TreeSet<>();
        programs.forEach(program -> wanted.add(program.spec().name().value()));
        Set<String> found = new TreeSet<>();
        state.loadProfile().programs().forEach(program -> found.add(program.name()));
        if (!found.isEmpty()) {
            if (!found.equals(wanted)) {
                throw new DifferentProgramsInstalled(layout.stateDirectory(), found, wanted);
            }
            return InstallationResult.ALREADY_INSTALLED;
        }
        state.files().createDirectories(layout.root());
        NodeProfile profile = NodeProfile.EMPTY;
        for (InitialProgramInstallation program : programs) {
            installProgram(program);
            profile =
                    profile.with(profileOf(program))
                            .with(
                                    new KnownVersion(
                                            program.digest(), program.version(), program.url()));
        }
        state.saveRecord(profile);
        return InstallationResult.INSTALLED;
    }

    private void installProgram(InitialProgramInstallation program) {
        runtime.requireLaunchable(program.spec(), List.copyOf(program.configFiles().keySet()));
        if (!runtime.installedDigest(program.spec()).equals(program.digest().value())) {
            Path staged = state.staging().resolve(state.files().randomName());
            Artifact artifact = new Artifact(program.url(), program.digest(), 0);
            runtime.acquire(artifact, staged, ticker.deadlineIn(FETCH_TIME), _ -> {});
            runtime.install(program.spec(), artifact, staged);
            state.files().delete(staged);
        }
        Map<NodePath, Digest> digests = new HashMap<>();
        program.configFiles()
                .forEach(
                        (file, text) -> {
                            byte[] content = text.getBytes(StandardCharsets.UTF_8);
                            runtime.writeConfig(file, content);
                            digests.put(file, Digest.of(content));
                        });
        Digest launch = program.spec().launch().digest();
        runtime.setDesiredRunning(
                program.spec(), program.digest(), ConfigDigest.of(digests, launch));
    }

    private static ProgramProfile profileOf(InitialProgramInstallation program) {
        List<NodePath> managed = new ArrayList<>(new TreeSet<>(program.configFiles().keySet()));
        List<ConfigFile> written = new ArrayList<>();
        program.configFiles()
                .forEach((path, text) -> written.add(new ConfigFile(path, Digest.of(text))));
        return new ProgramProfile(program.spec(), managed, written);
    }
}
