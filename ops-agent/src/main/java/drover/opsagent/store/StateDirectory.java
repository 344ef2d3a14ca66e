package drover.opsagent.store;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The agent's own directory: where everything in it lies, and how single records are kept. */
public final class StateDirectory {
    /** Free bytes that an upgrade needs in addition: journals, logs, and what others write. */
    public static final long UPGRADE_MARGIN_BYTES = 16L << 20;

    /**
     * New files of an upgrade: directories of the backup, its manifest, the artifact, journal, run
     * record and log.
     */
    public static final int UPGRADE_MARGIN_FILES = 16;

    /**
     * Free bytes that a restore needs: journal, run record and profile. The version that it
     * replaces may have filled the disk.
     */
    public static final long RESTORE_MARGIN_BYTES = 256L << 10;

    /** New files of a restore: each record is written to a temporary file first. */
    public static final int RESTORE_MARGIN_FILES = 8;

    private final Path directory;
    private final DurableFiles files;
    private final SpaceReserve reserve;
    private final StateJson json = new StateJson();
    private final Map<Path, CachedBytesAndRecord> parsed =
            new LinkedHashMap<>(8, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Path, CachedBytesAndRecord> eldest) {
                    return size() > 4; // profile, journal, run, and one more
                }
            };

    /** Names the directory. */
    public StateDirectory(Path directory, DurableFiles files) {
        this.directory = directory;
        this.files = files.ownedBy(directory);
        this.reserve = new SpaceReserve(directory, journals(), this.files);
    }

    /** Makes it, for the agent alone, whoever may have made it before with other rights (H12). */
    public void createPrivate() {
        createPrivate(directory);
    }

    /** Makes the directory of staged artifacts in the same way. */
    public void createStaging() {
        createPrivate(staging());
    }

    private void createPrivate(Path own) {
        files.createDirectories(own);
        files.disk().makePrivate(own);
    }

    /** Makes durable whatever an agent that was killed left half durable. */
    public void syncDirectories() {
        files.syncDirectories(directory, 3); // state / .upgrade-backup / rollout / attempt
    }

    /** Durable operations on the disk it lies on. */
    public DurableFiles files() {
        return files;
    }

    /** How records are written. */
    public StateJson json() {
        return json;
    }

    /** The directory itself. */
    public Path path() {
        return directory;
    }

    /** Staged artifacts, for the agent alone (H12). */
    public Path staging() {
        return directory.resolve("staging");
    }

    /** Journals. */
    public Path journals() {
        return directory.resolve("attempts");
    }

    /** Contents that the journal of an attempt names by digest. */
    public Path contents(long attempt) {
        return contents().resolve(Long.toString(attempt));
    }

    /** The contents of all attempts. */
    public Path contents() {
        return directory.resolve("contents");
    }

    /** Backups, by rollout and attempt. */
    public Path backups() {
        return directory.resolve(".upgrade-backup");
    }

    /** What belongs to a program's runs. */
    public Path runDirectory(String program) {
        return directory.resolve("run").resolve(program);
    }

    /** The agent's own record. */
    public AgentRecord loadAgentRecord() {
        Path file = directory.resolve("agent.json");
        return exists(file) ? load(file, AgentRecord.class) : AgentRecord.NEW;
    }

    /** Saves the agent's own record, on a full disk in place of reserved space. */
    public void saveRecord(AgentRecord agent) {
        saveInReserve(directory.resolve("agent.json"), agent);
    }

    /** The node's profile; empty before it was adopted. */
    public NodeProfile loadProfile() {
        Path file = profileFile();
        return exists(file) ? load(file, NodeProfile.class) : NodeProfile.EMPTY;
    }

    /** Keeps the node's profile, when it changes. */
    public void saveRecord(NodeProfile profile) {
        if (!exists(profileFile()) || !loadProfile().equals(profile)) {
            save(profileFile(), profile);
        }
    }

    private Path profileFile() {
        return directory.resolve("profile.json");
    }

    /** Whether the record is there. */
    public boolean exists(Path file) {
        return files.disk().kind(file) == Disk.EntryKind.FILE;
    }

    /** Reads a record. The disk is read each time; only the parsing of equal bytes is saved. */
    public synchronized <T> T load(Path file, Class<T> type) {
        byte[] bytes = files.disk().readAll(file);
        CachedBytesAndRecord known = parsed.get(file);
        if (known == null || !Arrays.equals(known.bytes, bytes)) {
            known = new CachedBytesAndRecord(bytes, json.read(bytes, type, file.toString()));
            parsed.put(file, known);
        }
        return type.cast(known.record);
    }

    private static final class CachedBytesAndRecord {
        final byte[] bytes;
        final Object record;

        CachedBytesAndRecord(byte[] bytes, Object record) {
            this.bytes = bytes;
            this.record = record;
        }
    }

    /** Space for records of attempts on a full disk. */
    public SpaceReserve reserve() {
        return reserve;
    }

    /** Replaces a record durably, on a full disk in place of reserved space. */
    void saveInReserve(Path file, Object record) {
        reserve.write(() -> save(file, record));
    }

    /** Replaces a record durably. */
    public void save(Path file, Object record) {
        Path parent = file.getParent();
        files.createDirectories(parent == null ? directory : parent);
        byte[] bytes = json.write(record);
        files.replace(file, bytes, FileAttributes.PRIVATE);
        synchronized (this) {
            parsed.put(
                    file,
                    new CachedBytesAndRecord(bytes, record)); // reading gives back what was written
        }
    }
}
