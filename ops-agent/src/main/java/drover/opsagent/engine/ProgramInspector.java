package drover.opsagent.engine;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.Work;
import drover.opsagent.plan.ProgramSnapshot;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.ProgramProfile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** The program as it is, for a status. */
    public ObservedProgram readObservedProgram(ProgramProfile program) {
        String config = readConfigDigest(program).value();
        return switch (runtime.status(program.spec().name())) {
            case ProgramState.Up up -> {
                Digest digest = up.digest();
                yield new ObservedProgram(digest == null ? "" : digest.value(), up.runId(), config);
            }
            case ProgramState.Down _ -> new ObservedProgram("", "", config);
        };
    }

    private @Nullable String readRunningDigest(ProgramProfile program) {
        return switch (runtime.status(program.spec().name())) {
            case ProgramState.Up up -> up.digest() == null ? null : up.digest().value();
            case ProgramState.Down _ -> "";
        };
    }

    /** Digest over the managed files as they are on disk and the launch specification. */
    public Digest readConfigDigest(ProgramProfile program) {
        Map<NodePath, Digest> present = new HashMap<>();
        for (ConfigFile file : readConfigFiles(program)) {
            present.put(file.path(), file.digest());
        }
        return ConfigDigest.of(present, program.spec().launch().digest());
    }

    /** The managed files that are on disk. */
    public List<ConfigFile> readConfigFiles(ProgramProfile program) {
        List<ConfigFile> present = new ArrayList<>();
        for (NodePath path : program.managedFiles()) {
            String digest = runtime.digestOf(path);
            if (!digest.isEmpty()) {
                present.add(new ConfigFile(path, new Digest(digest)));
            }
        }
        return present;
    }

    /** The program as an upgrade will leave it: files managed before stay managed. */
    public static ProgramProfile profileAfter(Work.Upgrade upgrade, ProgramProfile previous) {
        Set<NodePath> managed = new LinkedHashSet<>(previous.managedFiles());
        upgrade.files().forEach(file -> managed.add(file.path()));
        return new ProgramProfile(upgrade.spec(), List.copyOf(managed));
    }

    /** The configuration digest that an upgrade will lead to. */
    public Digest configDigestAfter(Work.Upgrade upgrade, ProgramProfile previous) {
        Map<NodePath, Digest> files = new HashMap<>();
        readConfigFiles(previous).forEach(file -> files.put(file.path(), file.digest()));
        upgrade.files().forEach(file -> files.put(file.path(), file.digest()));
        return ConfigDigest.of(files, upgrade.spec().launch().digest());
    }

    /** What is there before an upgrade: every file that it may write, and what runs. */
    public PreUpgradeState.Recorded readPreUpgradeState(
            Work.Upgrade upgrade, ProgramProfile previous, ProgramSnapshot observed) {
        Set<NodePath> paths = new LinkedHashSet<>();
        paths.addAll(runtime.programFiles(upgrade.spec()));
        paths.addAll(profileAfter(upgrade, previous).managedFiles());
        List<PreUpgradeState.FileState> files = new ArrayList<>();
        for (NodePath path : paths) {
            files.add(
                    new PreUpgradeState.FileState(
                            path, runtime.digestOf(path), runtime.attributesOf(path)));
        }
        boolean wanted = runtime.status(previous.spec().name()).desired();
        // One that falls over again and again cannot be asked to stay up after the way back.
        boolean steady = observed.isRunning() && !runtime.isCrashLooping(previous.spec().name());
        return new PreUpgradeState.Recorded(
                observed.runningOrFileDigest(), observed.configDigest(), files, wanted, steady);
    }
}
