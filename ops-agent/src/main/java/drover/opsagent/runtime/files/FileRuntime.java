package drover.opsagent.runtime.files;

import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.opsagent.disk.DigestMismatch;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.NodeRoot;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.fetch.ResumableDownload;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.PreflightCheckRecorder;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.runtime.UpgradePreflightInput;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The half of a runtime that is the same wherever programs and their configuration are files of the
 * machine: staging, backups, installing, all under the node's root (H11).
 */
public abstract class FileRuntime implements NodeRuntime {
    private final String name;
    private final StateDirectory state;
    private final DurableFiles files;
    private final NodeRoot root;
    private final Fetcher fetcher;

    /** Works on these ports. */
    protected FileRuntime(String name, RuntimeContext ports) {
        this.name = name;
        this.state = ports.state();
        this.files = state.files();
        this.root = new NodeRoot(files.disk(), ports.root(), ports.policy());
        this.fetcher = ports.fetcher();
    }

    @Override
    public final String name() {
        return name;
    }

    /** Where this node's files lie. */
    protected final NodeRoot root() {
        return root;
    }

    /**
     * Where a file of a program is on this machine; elsewhere than under its own path where the
     * runtime shows the program other directories than the machine's.
     *
     * @throws NodeRoot.PathRefused when nothing may be read or written there
     */
    protected Path pathOf(NodePath path) {
        return root.resolveWritable(path);
    }

    /** Where the program's own files and these are on this machine. */
    protected final Map<NodePath, Path> pathsOf(ProgramSpec spec, List<NodePath> paths) {
        Map<NodePath, Path> places = new TreeMap<>();
        programFiles(spec).forEach(path -> places.put(path, pathOf(path)));
        paths.forEach(path -> places.put(path, pathOf(path)));
        return places;
    }

    private FileBackups backups() {
        return backups(CheckFailureAdvice.RESTORE);
    }

    private FileBackups backups(CheckFailureAdvice attempt) {
        return new FileBackups(state, this::pathOf, preflightChecks(attempt));
    }

    /** The agent's own directory. */
    protected final StateDirectory state() {
        return state;
    }

    /** The program as it was launched when a backup was made. */
    protected final ProgramProfile loadBackedUpProfile(Path backup) {
        return backups().loadPreviousProfile(backup);
    }

    /** Fails unless the program is meant for this runtime and its paths may be written. */
    protected final void requireSupported(ProgramSpec spec, List<NodePath> paths) {
        if (!spec.runtime().isEmpty() && !spec.runtime().equals(name)) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    spec.name()
                            + " needs runtime "
                            + spec.runtime()
                            + ", this node has "
                            + name
                            + ": leave the node out.");
        }
        paths.forEach(this::pathOf);
    }

    /** Checks of files before an upgrade changes anything. */
    protected final FilePreflightTrials preflightChecks() {
        return preflightChecks(CheckFailureAdvice.UPGRADE);
    }

    private FilePreflightTrials preflightChecks(CheckFailureAdvice attempt) {
        return new FilePreflightTrials(state, fetcher, this::pathOf, attempt);
    }

    @Override
    public void checkUpgrade(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        FilePreflightTrials files = preflightChecks();
        files.checkStateDirectory(checks);
        files.checkArtifact(planned, checks, deadline);
        if (!planned.installed()) {
            files.checkReplaceable(
                    UpgradeAction.INSTALL_ARTIFACT,
                    programFiles(planned.spec()),
                    planned.spaceVerified() ? planned.artifact().size() : 0,
                    checks);
        }
        files.checkReplaceable(UpgradeAction.WRITE_CONFIGS, planned.toWrite(), 0, checks);
        checks.run(UpgradeAction.START_NODE, () -> requireExecutable(planned.spec()));
        NodeRuntime.super.checkUpgrade(planned, checks, deadline);
    }

    @Override
    public String installedDigest(ProgramSpec spec) {
        return digestOf(spec.launch().path());
    }

    @Override
    public List<NodePath> programFiles(ProgramSpec spec) {
        return List.of(spec.launch().path());
    }

    @Override
    public long requiredInstallBytes(Path staged) {
        return files.disk().size(staged);
    }

    @Override
    public void syncInterruptedWrites(List<NodePath> paths) {
        for (Path directory : directoriesAbove(paths)) {
            if (files.disk().kind(directory) == Disk.EntryKind.DIRECTORY) {
                files.disk().syncDirectory(directory);
            }
        }
    }

    @Override
    public String digestOf(NodePath path) {
        Path file;
        try {
            file = pathOf(path);
        } catch (NodeRoot.PathRefused e) {
            return ""; // what may not be followed is as good as absent; nothing is written there
        }
        return files.disk().kind(file) == Disk.EntryKind.FILE
                ? files.disk().digest(file).value()
                : "";
    }

    @Override
    public String attributesOf(NodePath path) {
        if (digestOf(path).isEmpty()) {
            return "";
        }
        return files.disk().attributes(pathOf(path)).toString();
    }

    @Override
    public void requireReplaceable(
            @Nullable ProgramSpec spec, Path staged, Map<NodePath, Long> configs) {
        FilePreflightTrials checks = preflightChecks();
        if (spec != null) {
            long bytes = requiredInstallBytes(staged);
            programFiles(spec)
                    .forEach(
                            path -> checks.requireReplaceable(path, FileAttributes.PROGRAM, bytes));
        }
        configs.forEach(
                (path, bytes) -> checks.requireReplaceable(path, FileAttributes.CONFIG, bytes));
    }

    @Override
    public final void requireExecutable(ProgramSpec spec) {
        NodePath path = spec.launch().path();
        if (executesFile(spec)
                && !preflightChecks().isExecutable(path, file -> isExecutable(spec, file))) {
            throw notExecutableFailure(spec, CheckFailureAdvice.UPGRADE);
        }
    }

    private ActionFailed notExecutableFailure(ProgramSpec spec, CheckFailureAdvice attempt) {
        NodePath path = spec.launch().path();
        return new ActionFailed(
                ReasonCode.NOT_EXECUTABLE,
                spec.name()
                        + " cannot be started: "
                        + describeStartingUser(spec)
                        + " may not execute "
                        + path
                        + describePermissions(path)
                        + ". Set its permission to execute, or mount its file system without"
                        + " noexec, "
                        + attempt.nextStep());
    }

    private String describePermissions(NodePath path) {
        Path file = pathOf(path);
        if (files.disk().kind(file) != Disk.EntryKind.FILE) {
            return "";
        }
        FileAttributes present = files.disk().attributes(file);
        return " (" + present.permissions() + " " + present.owner() + " " + present.group() + ")";
    }

    /** Whether the runtime executes the program's file, and not another program that reads it. */
    protected boolean executesFile(ProgramSpec spec) {
        List<String> arguments = spec.launch().arguments();
        return arguments.isEmpty() || arguments.getFirst().equals("{path}");
    }

    /** The user that starts the program, in the middle of a sentence. */
    protected String describeStartingUser(ProgramSpec spec) {
        return "user " + System.getProperty("user.name", "");
    }

    /** Whether that user may execute a file that is there. */
    protected boolean isExecutable(ProgramSpec spec, Path file) {
        return files.disk().isExecutable(file);
    }

    @Override
    public void requireFreeSpace(long bytes, int number, Map<NodePath, Long> targets) {
        Disk disk = files.disk();
        // Continued by this attempt. Others are deleted before its first action checks the space.
        long unfinished =
                ResumableDownload.unfinishedFiles(disk, state.staging()).stream()
                        .mapToLong(disk::size)
                        .sum();
        FreeSpaceCheck space = new FreeSpaceCheck(disk);
        space.add(state.path(), bytes - unfinished, number);
        targets.forEach(
                (path, size) -> {
                    Path directory = pathOf(path).getParent();
                    if (directory != null) {
                        space.add(directory, size, 1);
                    }
                });
        space.requireFree();
    }

    @Override
    public long sizeOf(NodePath path) {
        Path file = pathOf(path);
        return files.disk().kind(file) == Disk.EntryKind.FILE ? files.disk().size(file) : 0;
    }

    @Override
    public void backup(
            Path backup,
            ProgramProfile previous,
            PreUpgradeState.Recorded before,
            Deadline deadline) {
        backups().createUnlessComplete(backup, previous, before, deadline);
    }

    @Override
    public boolean isBackedUp(Path backup) {
        return backups().isComplete(backup);
    }

    @Override
    public void deleteBackup(Path backup) {
        backups().delete(backup);
    }

    @Override
    public void acquire(Artifact artifact, Path staged, Deadline deadline, IntConsumer percent) {
        state.createStaging();
        try {
            ResumableDownload.download(files, fetcher, artifact, staged, deadline, percent);
        } catch (FetchFailed e) {
            throw new ActionFailed(e.reason(), String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void verify(Artifact artifact, Path staged) {
        if (!isAcquired(artifact, staged)) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The staged artifact is not "
                            + artifact.digest().shortHex()
                            + ": check the disk.");
        }
    }

    @Override
    public boolean isAcquired(Artifact artifact, Path staged) {
        return files.disk().kind(staged) == Disk.EntryKind.FILE
                && files.disk().digest(staged).equals(artifact.digest());
    }

    @Override
    public void install(ProgramSpec spec, Artifact artifact, Path staged) {
        Path file = root.resolveWritable(spec.launch().path());
        createParentDirectory(file);
        try {
            files.copy(staged, file, artifact.digest(), FileAttributes.PROGRAM);
        } catch (DigestMismatch e) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH, e.getMessage() + ": check the disk.");
        }
    }

    @Override
    public void writeConfig(NodePath path, byte[] content) {
        Path file = pathOf(path);
        createParentDirectory(file);
        files.replace(file, content, FileAttributes.CONFIG);
    }

    private void createParentDirectory(Path file) {
        Path directory = file.getParent();
        if (directory != null) {
            files.createDirectories(directory);
        }
    }

    @Override
    public void requireRestorable(Path backup, PreUpgradeState.Recorded before) {
        FileBackups backups = backups();
        backups.requireRestorable(backup, before);
        ProgramSpec spec = backups.loadPreviousProfile(backup).spec();
        if (before.alive()
                && executesFile(spec)
                && !isPresentAndExecutable(spec)
                && !backups.wouldBeExecutable(backup, spec.launch().path())) {
            throw notExecutableFailure(spec, CheckFailureAdvice.RESTORE);
        }
        requireStoppable(spec.name(), preflightChecks(CheckFailureAdvice.RESTORE));
    }

    /** Verifies, when the program is stopped, that the files of a backup can be written. */
    protected final void requireFilesRestorable(Path backup, PreUpgradeState.Recorded before) {
        backups(CheckFailureAdvice.STOPPED_RESTORE).requireFilesRestorable(backup, before);
    }

    private boolean isPresentAndExecutable(ProgramSpec spec) {
        Path file = pathOf(spec.launch().path());
        return files.disk().kind(file) == Disk.EntryKind.FILE && isExecutable(spec, file);
    }

    @Override
    public final void requireStoppable(BinaryName program) {
        requireStoppable(program, preflightChecks());
    }

    /** Verifies the same before an upgrade or a restore. */
    protected void requireStoppable(BinaryName program, FilePreflightTrials checks) {
        checks.requireWritableRecords(program.value());
    }

    @Override
    public ProgramProfile restoreFiles(Path backup, PreUpgradeState.Recorded before) {
        return backups(CheckFailureAdvice.STOPPED_RESTORE).restore(backup, before);
    }

    @Override
    public void deleteTempFilesNextTo(List<NodePath> paths) {
        Set<Path> parents = new TreeSet<>();
        paths.forEach(path -> parents.add(Objects.requireNonNull(pathOf(path).getParent())));
        parents.forEach(files::deleteOwnTemporaryFiles);
        for (Path directory : directoriesAbove(paths)) {
            try {
                files.deleteOwnTemporaryFiles(directory);
            } catch (DiskFailure _) {
                // One of another user that the agent may not read; trials write where it may.
            }
        }
    }

    /** The directories under the root that these files are in, and those above them. */
    private Set<Path> directoriesAbove(List<NodePath> paths) {
        Set<Path> directories = new TreeSet<>();
        for (NodePath path : paths) {
            Path at = pathOf(path).getParent();
            while (at != null && at.startsWith(root.directory())) {
                directories.add(at);
                at = at.getParent();
            }
        }
        return directories;
    }
}
