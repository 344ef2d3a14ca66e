package drover.opsagent.runtime;

import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.NodePath;
import drover.model.ProgramSpec;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileMode;
import drover.opsagent.disk.NodeRoot;
import drover.opsagent.disk.WrongBytes;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.fetch.Fetcher;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.Before;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/**
 * Programs as processes under the agent's own supervision, their files under the node's root. On
 * the machine's own ports it is the runtime {@code process}, on simulated ones {@code simulated}:
 * the code that is proved is the code that runs.
 */
public final class ProcessRuntime implements NodeRuntime {
    private final String name;
    private final StateDirectory state;
    private final DurableFiles files;
    private final NodeRoot root;
    private final Fetcher fetcher;
    private final Supervisor supervisor;
    private final FileBackups backups;

    /**
     * Builds the runtime on its ports.
     *
     * @param settle how long a started program must stay up
     */
    public ProcessRuntime(
            String name,
            StateDirectory state,
            Path root,
            Fetcher fetcher,
            Processes processes,
            Ticker ticker,
            Duration settle) {
        this.name = name;
        this.state = state;
        this.files = state.files();
        this.root = new NodeRoot(files.disk(), root);
        this.fetcher = fetcher;
        this.supervisor = new Supervisor(state, this.root, processes, ticker, settle);
        this.backups = new FileBackups(state, this.root);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void settle(List<NodePath> paths) {
        Set<Path> directories = new TreeSet<>();
        for (NodePath path : paths) {
            Path at = root.resolve(path).getParent();
            while (at != null && at.startsWith(root.directory())) {
                directories.add(at);
                at = at.getParent();
            }
        }
        for (Path directory : directories) {
            if (files.disk().kind(directory) == Disk.Kind.DIRECTORY) {
                files.disk().syncDirectory(directory);
            }
        }
    }

    @Override
    public void adopt(BinaryName program) {
        supervisor.adopt(program);
    }

    @Override
    public ProgramState status(BinaryName program) {
        return supervisor.state(program);
    }

    @Override
    public String digestOf(NodePath path) {
        Path file;
        try {
            file = root.resolve(path);
        } catch (NodeRoot.PathRefused e) {
            return ""; // what may not be followed is as good as absent; nothing is written there
        }
        return files.disk().kind(file) == Disk.Kind.FILE ? files.disk().digest(file).value() : "";
    }

    @Override
    public void preflight(ProgramSpec spec, List<NodePath> paths) {
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
        String user = spec.launch().user();
        if (!user.isEmpty() && !user.equals(System.getProperty("user.name"))) {
            throw new ActionFailed(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "This agent cannot run programs as " + user + ": run it as that user.");
        }
        root.resolve(spec.launch().path());
        paths.forEach(root::resolve);
    }

    @Override
    public void requireRoom(long bytes) {
        long free =
                Math.min(
                        files.disk().freeBytes(root.directory()),
                        files.disk().freeBytes(state.path()));
        if (free < bytes) {
            throw new ActionFailed(
                    ReasonCode.DISK_FULL,
                    "The node has room for "
                            + (free >> 20)
                            + " MiB, needed are "
                            + ((bytes >> 20) + 1)
                            + " MiB: free room on it, then retry.");
        }
    }

    @Override
    public long sizeOf(NodePath path) {
        Path file = root.resolve(path);
        return files.disk().kind(file) == Disk.Kind.FILE ? files.disk().size(file) : 0;
    }

    @Override
    public void backup(
            Path backup, ProgramProfile previous, Before.Taken before, Deadline deadline) {
        backups.take(backup, previous, before, deadline);
    }

    @Override
    public boolean isBackedUp(Path backup) {
        return backups.isComplete(backup);
    }

    @Override
    public void acquire(Artifact artifact, Path staged, Deadline deadline, IntConsumer percent) {
        files.createDirectories(state.staging());
        files.delete(staged);
        try (Disk.DiskFile into = files.disk().createExclusive(staged, FileMode.PRIVATE)) {
            fetcher.fetch(artifact, into, deadline, percent);
        } catch (FetchFailed e) {
            files.delete(staged);
            throw new ActionFailed(e.reason(), String.valueOf(e.getMessage()));
        }
        files.disk().syncDirectory(state.staging());
    }

    @Override
    public void verify(Path staged, Digest digest) {
        if (!isAcquired(staged, digest)) {
            throw new ActionFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    "The staged artifact is not " + digest.brief() + ": look at the disk, retry.");
        }
    }

    @Override
    public boolean isAcquired(Path staged, Digest digest) {
        return files.disk().kind(staged) == Disk.Kind.FILE
                && files.disk().digest(staged).equals(digest);
    }

    @Override
    public void install(Path staged, NodePath target, Digest digest) {
        Path file = root.resolve(target);
        makeDirectoryOf(file);
        try {
            files.copy(staged, file, digest, FileMode.PROGRAM);
        } catch (WrongBytes e) {
            throw new ActionFailed(ReasonCode.CHECKSUM_MISMATCH, e.getMessage() + ": retry.");
        }
    }

    @Override
    public void writeConfig(NodePath path, byte[] content) {
        Path file = root.resolve(path);
        makeDirectoryOf(file);
        files.replace(file, content, FileMode.CONFIG);
    }

    private void makeDirectoryOf(Path file) {
        Path directory = file.getParent();
        if (directory != null) {
            files.createDirectories(directory);
        }
    }

    @Override
    public void reload() {
        // The supervisor reads launch specifications at each start: nothing to reload.
    }

    @Override
    public void stop(BinaryName program, Deadline deadline) {
        supervisor.stop(program, deadline);
    }

    @Override
    public void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline) {
        supervisor.start(spec.name(), spec.launch(), digest, configDigest, deadline);
    }

    @Override
    public void want(ProgramSpec spec, Digest digest, Digest configDigest) {
        supervisor.want(spec.name(), spec.launch(), digest, configDigest);
    }

    @Override
    public void countAnew(BinaryName program) {
        supervisor.countAnew(program);
    }

    @Override
    public void verifyBackup(Path backup, Before.Taken before) {
        backups.verify(backup, before);
    }

    @Override
    public ProgramProfile restore(Path backup, Before.Taken before) {
        return backups.restore(backup, before);
    }

    @Override
    public void sweep(List<NodePath> paths) {
        Set<Path> directories = new TreeSet<>();
        for (NodePath path : paths) {
            Path directory = root.resolve(path).getParent();
            if (directory != null) {
                directories.add(directory);
            }
        }
        directories.forEach(files::sweep);
    }

    @Override
    public String logTail(BinaryName program, int bytes) {
        Path log = state.run(program.value()).resolve(LaunchLine.LOG);
        if (files.disk().kind(log) != Disk.Kind.FILE) {
            return "";
        }
        try (InputStream in = files.disk().read(log)) {
            in.skipNBytes(Math.max(0, files.disk().size(log) - bytes));
            return new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void supervise(List<ProgramSpec> specs) {
        specs.forEach(spec -> supervisor.supervise(spec.name()));
    }

    @Override
    public boolean isCrashLooping(BinaryName program) {
        return supervisor.isCrashLooping(program);
    }
}
