package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.ConfigChangesSinceStart;
import drover.opsagent.plan.PreconditionResult;
import drover.opsagent.plan.ProgramSnapshot;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks at a node: what is installed, what runs, what is configured. Changes nothing. */
public final class ProgramInspector {
    private final NodeRuntime runtime;

    /** Looks through this runtime. */
    public ProgramInspector(NodeRuntime runtime) {
        this.runtime = runtime;
    }

    /** The program as it is. */
    public ProgramSnapshot readSnapshot(ProgramProfile program) {
        return new ProgramSnapshot(
                runtime.installedDigest(program.spec()),
                readRunningDigest(program),
                readConfigDigest(program));
    }

    /**
     * The program as it is, for a status. A program that is up counts with the configuration that
     * it was started with: what it changes in its files afterwards is drift and no part of the
     * attempt.
     */
    public ObservedProgram readObservedProgram(ProgramProfile program) {
        return switch (runtime.status(program.spec().name())) {
            case ProgramState.Up up -> {
                Digest digest = up.digest();
                yield new ObservedProgram(
                        digest == null ? "" : digest.value(),
                        up.runId(),
                        up.configDigest().value());
            }
            case ProgramState.Down _ ->
                    new ObservedProgram("", "", readConfigDigest(program).value());
        };
    }

    /**
     * The program's state, in which a process that is up has a digest.
     *
     * @throws ActionFailed with NOT_INSPECTABLE
     */
    public ProgramState requireInspectable(BinaryName program) {
        ProgramState state = runtime.status(program);
        if (state instanceof ProgramState.Up up && up.digest() == null) {
            throw new ActionFailed(
                    ReasonCode.NOT_INSPECTABLE,
                    PreconditionResult.notInspectableMessage(program.value()));
        }
        return state;
    }

    private @Nullable String readRunningDigest(ProgramProfile program) {
        return switch (runtime.status(program.spec().name())) {
            case ProgramState.Up up -> up.digest() == null ? null : up.digest().value();
            case ProgramState.Down _ -> "";
        };
    }

    /** Digest over the managed files as they are on disk and the launch specification. */
    public Digest readConfigDigest(ProgramProfile program) {
        return program.configDigest(runtime::digestOf);
    }

    /** The managed files that are on disk, by the digest that counts. */
    public List<ConfigFile> readConfigFiles(ProgramProfile program) {
        List<ConfigFile> present = new ArrayList<>();
        for (NodePath path : program.managedFiles()) {
            String digest = program.effectiveDigest(path, runtime.digestOf(path));
            if (!digest.isEmpty()) {
                present.add(new ConfigFile(path, new Digest(digest)));
            }
        }
        return present;
    }

    /** Managed files after an upgrade: those that were managed before stay managed. */
    public static List<NodePath> managedFilesAfter(Work.Upgrade upgrade, ProgramProfile previous) {
        Set<NodePath> managed = new LinkedHashSet<>(previous.managedFiles());
        upgrade.files().forEach(file -> managed.add(file.path()));
        return List.copyOf(managed);
    }

    /** The program as an upgrade leaves it, once its files are written. */
    public ProgramProfile profileAfter(Work.Upgrade upgrade, ProgramProfile previous) {
        Map<NodePath, Digest> written = new TreeMap<>();
        countedFiles(previous).forEach(file -> written.put(file.path(), file.digest()));
        upgrade.files().forEach(file -> written.put(file.path(), file.digest()));
        return new ProgramProfile(
                upgrade.spec(),
                managedFilesAfter(upgrade, previous),
                written.entrySet().stream()
                        .map(file -> new ConfigFile(file.getKey(), file.getValue()))
                        .toList());
    }

    /** Files by the digest that counts; of an absent one that which was written last. */
    private List<ConfigFile> countedFiles(ProgramProfile program) {
        Map<NodePath, ConfigFile> counted = new TreeMap<>();
        program.written().forEach(file -> counted.put(file.path(), file));
        readConfigFiles(program).forEach(file -> counted.put(file.path(), file));
        return List.copyOf(counted.values());
    }

    /** The program with the settings after an upgrade and the files before it. */
    private ProgramProfile withSettingsAfter(Work.Upgrade upgrade, ProgramProfile previous) {
        return new ProgramProfile(upgrade.spec(), previous.managedFiles(), countedFiles(previous));
    }

    /**
     * Files that an upgrade has to write. One that the program may change is written only if its
     * new content is another than what Drover wrote last, or than the drift that was accepted.
     */
    public List<ConfigFile> findFilesToWrite(Work.Upgrade upgrade, ProgramProfile previous) {
        ProgramProfile known = withSettingsAfter(upgrade, previous);
        return upgrade.files().stream()
                .filter(
                        file -> {
                            String onDisk = runtime.digestOf(file.path());
                            String counts = known.effectiveDigest(file.path(), onDisk);
                            return !counts.equals(file.digest().value());
                        })
                .toList();
    }

    /** Managed files that are not as Drover wrote them, for people; never empty. */
    public String describeChangedFiles(ProgramProfile program) {
        String changed = ConfigChangesSinceStart.join(findChangedFiles(program));
        return changed.isEmpty() ? "The configuration" : changed;
    }

    private List<NodePath> findChangedFiles(ProgramProfile program) {
        return program.managedFiles().stream()
                .filter(path -> isChanged(program, path, runtime.digestOf(path)))
                .toList();
    }

    /** Which managed files are missing and which changed after the start. */
    public ConfigChangesSinceStart findConfigDrift(ProgramProfile program) {
        List<NodePath> missing = new ArrayList<>();
        List<NodePath> changed = new ArrayList<>();
        for (NodePath path : program.managedFiles()) {
            String onDisk = runtime.digestOf(path);
            if (isChanged(program, path, onDisk)) {
                (onDisk.isEmpty() ? missing : changed).add(path);
            }
        }
        return new ConfigChangesSinceStart(missing, changed);
    }

    private List<NodePath> findMissingFiles(ProgramProfile program) {
        return program.managedFiles().stream()
                .filter(path -> runtime.digestOf(path).isEmpty())
                .toList();
    }

    /**
     * Verifies that no managed file is missing whose content the plan relies on.
     *
     * @throws ActionFailed with DRIFTED and the files
     */
    public void requireManagedFiles(Work.Upgrade upgrade, ProgramProfile previous) {
        List<NodePath> missing = findMissingFiles(previous);
        if (missing.isEmpty()) {
            return;
        }
        String config = readConfigDigest(previous).value();
        String source = upgrade.sourceConfigDigest();
        String target = upgrade.targetConfigDigest().value();
        boolean known = source.isEmpty() || config.equals(source) || config.equals(target);
        if (!known || !configDigestAfter(upgrade, previous).value().equals(target)) {
            throw new ActionFailed(
                    ReasonCode.DRIFTED,
                    ConfigChangesSinceStart.describeMissing(missing)
                            + ": create what is missing with its earlier content (any content if it"
                            + " is 'managed: once' or 'merge'), then plan again.");
        }
    }

    private static boolean isChanged(ProgramProfile program, NodePath path, String onDisk) {
        String known = program.writtenDigest(path);
        String present = program.effectiveDigest(path, onDisk);
        return !known.isEmpty() && !known.equals(present);
    }

    /**
     * Verifies that the node has or gets the content of every file that an upgrade takes over from
     * the program: one that the program was allowed to change, and that Drover manages from then
     * on.
     *
     * @throws ActionFailed with DRIFTED and the file
     */
    public void requireTakenOverContents(Work.Upgrade upgrade, ProgramProfile previous) {
        ProgramProfile after = withSettingsAfter(upgrade, previous);
        Set<NodePath> brought =
                upgrade.files().stream().map(ConfigFile::path).collect(Collectors.toSet());
        for (NodePath path : previous.managedFiles()) {
            String onDisk = runtime.digestOf(path);
            String counts = previous.effectiveDigest(path, onDisk);
            if (!brought.contains(path) && !after.effectiveDigest(path, onDisk).equals(counts)) {
                throw new ActionFailed(
                        ReasonCode.DRIFTED,
                        "The program has changed "
                                + path
                                + ", which the upgrade makes managed: always without its content:"
                                + " add the file to the manifest, then plan again.");
            }
        }
    }

    /** The configuration digest that an upgrade will lead to. */
    public Digest configDigestAfter(Work.Upgrade upgrade, ProgramProfile previous) {
        Map<NodePath, Digest> files = new HashMap<>();
        readConfigFiles(previous).forEach(file -> files.put(file.path(), file.digest()));
        upgrade.files().forEach(file -> files.put(file.path(), file.digest()));
        return ConfigDigest.of(files, upgrade.spec().launch().digest());
    }

    /**
     * Verifies that everything an upgrade writes fits at one time (D16): copies and, unless it is
     * installed already, the staged artifact in the agent's own directory, and each new file in its
     * directory, before it replaces the old one.
     *
     * @param configs configuration files that are written, with their sizes in bytes
     * @throws ActionFailed with DISK_FULL
     */
    void requireSpace(
            Work.Upgrade upgrade, PreUpgradeState.Recorded before, Map<NodePath, Long> configs) {
        long copies = before.files().stream().mapToLong(f -> runtime.sizeOf(f.path())).sum();
        Map<NodePath, Long> targets = new TreeMap<>(configs);
        long downloaded = 0;
        if (!runtime.isInstalled(upgrade.spec(), upgrade.artifact().digest())) {
            downloaded = upgrade.artifact().size();
            for (NodePath path : runtime.programFiles(upgrade.spec())) {
                targets.put(path, downloaded);
            }
        }
        runtime.requireFreeSpace(
                copies + downloaded + StateDirectory.UPGRADE_MARGIN_BYTES,
                StateDirectory.UPGRADE_MARGIN_FILES + 2 * before.files().size(),
                targets);
    }

    /** The files as they are on the disk. */
    List<PreUpgradeState.FileState> readFiles(Collection<NodePath> paths) {
        return paths.stream()
                .map(
                        path ->
                                new PreUpgradeState.FileState(
                                        path, runtime.digestOf(path), runtime.attributesOf(path)))
                .toList();
    }

    /** What is there before an upgrade: every file that it may write, and what runs. */
    public PreUpgradeState.Recorded readPreUpgradeState(
            Work.Upgrade upgrade, ProgramProfile previous, ProgramSnapshot observed) {
        Set<NodePath> paths = new LinkedHashSet<>();
        paths.addAll(runtime.programFiles(upgrade.spec()));
        paths.addAll(managedFilesAfter(upgrade, previous));
        List<PreUpgradeState.FileState> files = readFiles(paths);
        boolean wanted = runtime.status(previous.spec().name()).desired();
        // One that falls over again and again cannot be asked to stay up after the way back.
        boolean steady = observed.isRunning() && !runtime.isCrashLooping(previous.spec().name());
        return new PreUpgradeState.Recorded(
                observed.runningOrFileDigest(), observed.configDigest(), files, wanted, steady);
    }
}
