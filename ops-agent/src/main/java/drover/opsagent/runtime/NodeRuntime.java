package drover.opsagent.runtime;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ProgramSpec;
import drover.model.program.StopSettings;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.time.Deadline;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How the actions are done on one kind of node (seed 000, RuntimeAdapter). Every operation may be
 * repeated; each throws {@link ActionFailed} or a disk's failure, and none waits past its deadline.
 */
public interface NodeRuntime {
    /** Its name in profiles, for example {@code process}. */
    String name();

    /** Makes durable what an earlier agent left half durable of these files. */
    void syncInterruptedWrites(List<NodePath> files);

    /**
     * What runs as this program already, on a node that is to be taken in. Looks, and changes
     * nothing on the node or in the agent's own directory; the node has no such program yet.
     *
     * @param files the configuration files that are to be managed for it
     * @throws ActionFailed when an agent cannot care for it: it is not there, does not run, runs
     *     something else than the profile says, or may not be touched
     */
    default DiscoveredProgram discover(ProgramSpec spec, List<NodePath> files) {
        throw new ActionFailed(
                ReasonCode.UNSUPPORTED_FEATURE,
                "The runtime "
                        + name()
                        + " takes over only what it started itself: install the program anew.");
    }

    /**
     * Takes over what an earlier agent left running, or what was running when the node was taken
     * in; starts nothing.
     */
    void adopt(BinaryName program);

    /** Whether the program runs, and as what. */
    ProgramState status(BinaryName program);

    /** The digest of a file of the node; empty when it is absent. */
    String digestOf(NodePath path);

    /**
     * What a file of the node carries besides its content, in one line: permissions, owner and
     * extended attributes; empty when it is absent or the runtime does not know them.
     */
    default String attributesOf(NodePath path) {
        return "";
    }

    /**
     * Verifies before the program is stopped that its files can be written: takes every step in
     * their directories with temporary files of the same sizes, which are deleted. {@link
     * #requireFreeSpace} is called first.
     *
     * @param spec its program file is written; null if it stays
     * @param staged the artifact that is installed then
     * @param configs configuration files that are written, with their new sizes in bytes
     * @throws ActionFailed with the file and the reason of the system
     */
    default void requireReplaceable(
            @Nullable ProgramSpec spec, Path staged, Map<NodePath, Long> configs) {}

    /**
     * Verifies before the program is stopped that the user that starts it may execute its file.
     *
     * @throws ActionFailed with NOT_EXECUTABLE
     */
    default void requireExecutable(ProgramSpec spec) {}

    /**
     * Verifies before the program is stopped that everything else can be written that a stop and
     * the actions after it write: the agent's own records, and what prevents a start by others.
     *
     * @throws ActionFailed with the file and the reason of the system
     */
    default void requireStoppable(BinaryName program) {}

    /** The digest of what is installed as this program; empty when nothing is. */
    String installedDigest(ProgramSpec spec);

    /** Whether exactly this is installed, so that installing it would change nothing. */
    default boolean isInstalled(ProgramSpec spec, Digest digest) {
        return installedDigest(spec).equals(digest.value());
    }

    /** The files that are the program itself: none where it is an image. */
    List<NodePath> programFiles(ProgramSpec spec);

    /** Checks, changing nothing, that the program could be laid out and launched here. */
    void requireLaunchable(ProgramSpec spec, List<NodePath> files);

    /**
     * Finds which actions of an upgrade would fail on this kind of node. The caller checks free
     * space and what is installed. No file changes except temporary ones, which are deleted.
     */
    default void checkUpgrade(
            UpgradePreflightInput planned, PreflightCheckRecorder checks, Deadline deadline) {
        checks.run(UpgradeAction.STOP_NODE, () -> requireLaunchable(planned.spec(), List.of()));
        checks.run(
                UpgradeAction.WRITE_CONFIGS,
                () -> requireLaunchable(planned.spec(), planned.files()));
        checks.run(UpgradeAction.STOP_NODE, () -> requireStoppable(planned.spec().name()));
    }

    /**
     * Verifies that everything an attempt writes fits at one time on the file systems where it is
     * written (D16).
     *
     * @param bytes that the agent writes to its own directory
     * @param files that it creates there
     * @param targets new files of the node, with their sizes in bytes
     * @throws ActionFailed with DISK_FULL and the directory whose file system has too little
     */
    void requireFreeSpace(long bytes, int files, Map<NodePath, Long> targets);

    /** Size of a file of the node; 0 when it is absent. */
    long sizeOf(NodePath path);

    /** Copies files and launch specification aside; the manifest, written last, completes it. */
    void backup(
            Path backup,
            ProgramProfile previous,
            PreUpgradeState.Recorded before,
            Deadline deadline);

    /** Whether the backup is complete. */
    boolean isBackedUp(Path backup);

    /**
     * Removes a backup that nothing can ask for any more. One that is half removed is not complete.
     */
    void deleteBackup(Path backup);

    /** Gets the artifact to its staged place, unless it is there. */
    void acquire(Artifact artifact, Path staged, Deadline deadline, IntConsumer percent);

    /** Fails with CHECKSUM_MISMATCH unless the artifact is there and is what its digest says. */
    void verify(Artifact artifact, Path staged);

    /** Whether the artifact is there and is what its digest says. */
    boolean isAcquired(Artifact artifact, Path staged);

    /** Bytes that installing what was acquired will take. */
    long requiredInstallBytes(Path staged);

    /** Puts the acquired artifact in place. */
    void install(ProgramSpec spec, Artifact artifact, Path staged);

    /** Writes a configuration file. */
    void writeConfig(NodePath path, byte[] content);

    /** Makes the runtime read its definitions again. */
    void reload();

    /**
     * Stops the program and verifies that no process of it is left (D4). If it does not end within
     * the timeout of the settings, it is killed, and in any case before the deadline. If the stop
     * fails once it was requested, the program stays not desired: see {@link #cancelStop}.
     *
     * @return one sentence if the program had to be killed; empty otherwise
     */
    String stop(BinaryName program, StopSettings settings, Deadline deadline);

    /**
     * Cancels a stop that failed while the program's run is still up: the program is desired, also
     * if it was started by hand, and what prevents starts by others is removed. Starts nothing, and
     * may be repeated. If a runtime does not support it, an attempt whose stop fails ends as
     * FAILED_ROLLBACK, and a program must be stopped before such a node is cleared.
     */
    default void cancelStop(BinaryName program) {
        throw new ActionFailed(
                ReasonCode.UNSUPPORTED_FEATURE,
                "The runtime "
                        + name()
                        + " cannot cancel a stop: stop the program by hand, then clear the node.");
    }

    /** Starts the program and waits until it has stayed up for the settling time. */
    void start(ProgramSpec spec, Digest digest, Digest configDigest, Deadline deadline);

    /** Notes that the program is to run; supervision starts it. */
    void setDesiredRunning(ProgramSpec spec, Digest digest, Digest configDigest);

    /**
     * No attempt has the program in hand any more, and its files are whole: what kept others from
     * starting it in the meantime goes. Starts nothing.
     */
    default void allowStarts(BinaryName program) {}

    /** A new attempt: starts by supervision are counted from here on. */
    void resetRestartCounters(BinaryName program);

    /**
     * Verifies before the program is stopped that {@link #restoreFiles} will work: free space
     * first, then every step with temporary files of the same sizes, which are deleted.
     *
     * @throws ActionFailed with BACKUP_MISMATCH unless the three digests of every file agree (D10),
     *     or with the file and the reason of the system if a file cannot be written (D15)
     */
    void requireRestorable(Path backup, PreUpgradeState.Recorded before);

    /**
     * Brings files back to what they were, after the three digests of each agree; else nothing is
     * written (D10).
     *
     * @return the program as it was launched before
     */
    ProgramProfile restoreFiles(Path backup, PreUpgradeState.Recorded before);

    /** Removes what interrupted writes left beside these files. */
    void deleteTempFilesNextTo(List<NodePath> files);

    /**
     * End of the output of the program's current run, or of its last one if it is down, at most
     * this many bytes. Fails if the output cannot be read.
     */
    String logTail(BinaryName program, int bytes);

    /**
     * End of the output of the latest run that ended without a stop on purpose, at most this many
     * bytes. Fails if the output cannot be read.
     */
    default String crashedLogTail(BinaryName program, int bytes) {
        return logTail(program, bytes);
    }

    /** Starts again what is meant to run and does not. Called every now and then. */
    void supervise(List<ProgramSpec> specs);

    /** Whether the program was started again and again lately. */
    boolean isCrashLooping(BinaryName program);

    /**
     * How the latest run ended that was not stopped on purpose, as a clause of a sentence, for
     * example {@code with exit code 3 (last line: "unknown key prot")}. Empty if there was none
     * since the last start on purpose, if it was long ago, or if the runtime does not know.
     */
    default String describeLastCrash(BinaryName program) {
        return "";
    }

    /**
     * Why the latest start by supervision failed, as a clause of a sentence, for example {@code
     * there is no file /opt/app}. Empty if it did not fail, or if the runtime does not know.
     */
    default String describeStartFailure(BinaryName program) {
        return "";
    }
}
