package drover.opsagent.disk;

import drover.model.Digest;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that keeps un-synced writes apart and loses any chosen subset of them in a power
 * failure. Deterministic; used for simulated nodes and for the proof that no crash leaves a mixed
 * node. Not for several threads at once without a lock: every method is synchronized.
 */
public final class SimulatedDisk implements Disk {
    private static final byte[] EMPTY = {};
    private static final Digest NOTHING = Digest.of(EMPTY);
    private final TreeMap<String, FileNode> now = new TreeMap<>();
    private final Map<String, FileNode> durable = new TreeMap<>();
    private final List<PendingWrite> pending = new ArrayList<>();
    private Runnable beforeEachWrite = () -> {};
    private Runnable beforeEachCheck = () -> {};
    private long capacity = Long.MAX_VALUE;
    private long fileLimit = Long.MAX_VALUE;
    private long quota = Long.MAX_VALUE;
    private final Set<Path> denied = new HashSet<>();
    private final Set<Path> immutable = new HashSet<>();
    private long fileIds;

    private static final class FileNode {
        final long id;
        final boolean directory;
        FileAttributes attributes;
        FileAttributes syncedAttributes;
        byte[] content = EMPTY;
        byte[] synced = EMPTY;
        private byte[] hashed = EMPTY;
        private Digest digest = NOTHING;

        FileNode(long id, boolean directory, FileAttributes mode) {
            this.id = id;
            this.directory = directory;
            this.attributes = mode;
            this.syncedAttributes = mode;
        }

        FileNode copy() {
            FileNode copy = new FileNode(id, directory, attributes);
            copy.syncedAttributes = syncedAttributes;
            copy.content = content;
            copy.synced = synced;
            copy.hashed = hashed;
            copy.digest = digest;
            return copy;
        }

        // Contents are replaced, never changed in place: the same array has the same digest.
        @SuppressWarnings("ReferenceEquality") // identity is meant
        Digest digest() {
            if (hashed != content) {
                hashed = content;
                digest = Digest.of(content);
            }
            return digest;
        }
    }

    /** One write that a power failure may lose. */
    private sealed interface PendingWrite {
        /** A name now stands for a file, or for none. */
        record NameChange(Path parent, String path, String removed, @Nullable FileNode node)
                implements PendingWrite {}

        /** Bytes and attributes of a file. */
        record ContentChange(FileNode node) implements PendingWrite {}
    }

    /** Runs this before each write: a place to crash, or to fail. */
    public synchronized void setWriteHook(Runnable hook) {
        beforeEachWrite = hook;
    }

    /** Runs this before each look at what files and directories hold: a place to fail. */
    public synchronized void setReadHook(Runnable hook) {
        beforeEachCheck = hook;
    }

    /** Leaves room for so many bytes in all. */
    public synchronized void limitCapacity(long bytes) {
        capacity = bytes;
    }

    /** Rejects new files and directories in this directory from now on. */
    public synchronized void denyNewFiles(Path directory) {
        denied.add(directory);
    }

    /** Ends {@link #denyNewFiles}. */
    public synchronized void allowNewFiles(Path directory) {
        denied.remove(directory);
    }

    /** Sets a quota of the user in bytes, which free bytes do not show. */
    public synchronized void limitQuota(long bytes) {
        quota = bytes;
    }

    /** Rejects each replacement of this file from now on. */
    public synchronized void makeImmutable(Path file) {
        immutable.add(file);
    }

    @Override
    public synchronized void requireReplaceable(Path file) {
        if (immutable.contains(file)) {
            throw newFailure(file + " is immutable");
        }
    }

    /** How many writes a power failure could lose now. */
    public synchronized int pendingWriteCount() {
        return pending.size();
    }

    /**
     * The disk as it is after the agent alone is gone ({@code kept} all set) or after a power
     * failure that kept just these of the pending writes.
     */
    public synchronized SimulatedDisk afterPowerFailure(long kept) {
        SimulatedDisk after = copy(durable, List.of());
        after.fileIds = fileIds;
        after.fileLimit = fileLimit;
        after.capacity = capacity;
        after.quota = quota;
        for (int i = 0; i < pending.size(); i++) {
            if ((kept >> i & 1) == 1) {
                after.apply(pending.get(i));
            }
        }
        after.now.keySet().removeIf(path -> !after.hasAllParents(path));
        for (FileNode node : after.now.values()) {
            node.content = node.synced;
            node.attributes = node.syncedAttributes;
        }
        after.durable.clear();
        after.now.forEach((path, node) -> after.durable.put(path, node));
        return after;
    }

    /** An independent copy, pending writes included. */
    public synchronized SimulatedDisk snapshot() {
        SimulatedDisk copy = new SimulatedDisk();
        Map<FileNode, FileNode> copies = new HashMap<>();
        now.forEach((path, node) -> copy.now.put(path, copyNode(node, copies)));
        durable.forEach((path, node) -> copy.durable.put(path, copyNode(node, copies)));
        for (PendingWrite write : pending) {
            copy.pending.add(
                    switch (write) {
                        case PendingWrite.NameChange(
                                        Path parent,
                                        String path,
                                        String removed,
                                        FileNode node) ->
                                new PendingWrite.NameChange(
                                        parent,
                                        path,
                                        removed,
                                        node == null ? null : copyNode(node, copies));
                        case PendingWrite.ContentChange(FileNode node) ->
                                new PendingWrite.ContentChange(copyNode(node, copies));
                    });
        }
        copy.capacity = capacity;
        copy.quota = quota;
        copy.fileLimit = fileLimit;
        copy.fileIds = fileIds;
        return copy;
    }

    /** Every file and the digest of its content, for comparing whole disks. */
    public synchronized Map<String, Digest> fileDigests() {
        Map<String, Digest> all = new TreeMap<>();
        now.forEach(
                (path, node) -> {
                    if (!node.directory) {
                        all.put(path, node.digest());
                    }
                });
        return all;
    }

    /** Puts a durable file there, with the directories above it. For setting a scene. */
    public synchronized void putDurableFile(Path file, byte[] content, FileAttributes attributes) {
        for (Path at = file.getParent(); at != null; at = at.getParent()) {
            FileNode directory = new FileNode(fileIds++, true, FileAttributes.PROGRAM);
            now.putIfAbsent(at.toString(), directory);
            durable.putIfAbsent(at.toString(), directory);
        }
        FileNode node = new FileNode(fileIds++, false, attributes);
        node.content = content.clone();
        node.synced = node.content;
        now.put(file.toString(), node);
        durable.put(file.toString(), node);
    }

    @Override
    public DeviceAndLinkCount identity(Path path) {
        return new DeviceAndLinkCount(1, 1); // one disk, on which nobody links
    }

    @Override
    public synchronized EntryKind kind(Path path) {
        FileNode node = now.get(path.toString());
        if (node == null) {
            return path.getParent() == null ? EntryKind.DIRECTORY : EntryKind.ABSENT;
        }
        return node.directory ? EntryKind.DIRECTORY : EntryKind.FILE;
    }

    @Override
    public synchronized DiskFileWriter createExclusive(Path file) {
        beforeEachWrite.run();
        requireNotDenied(file);
        requireFreeFile();
        if (now.containsKey(file.toString())
                || kind(parentDirectory(file)) != EntryKind.DIRECTORY) {
            throw newFailure("Cannot create " + file);
        }
        FileNode node = new FileNode(fileIds++, false, FileAttributes.PRIVATE);
        now.put(file.toString(), node);
        pending.add(new PendingWrite.NameChange(parentDirectory(file), file.toString(), "", node));
        return new OpenFile(node);
    }

    private void requireNotDenied(Path created) {
        if (denied.contains(parentDirectory(created))) {
            throw newFailure("Cannot create " + created + ": Permission denied");
        }
    }

    private void requireFreeFile() {
        if (now.size() >= fileLimit) {
            throw new DiskFailure(
                    "No space left on device", true, new IllegalStateException("no inode"));
        }
    }

    @Override
    public synchronized InputStream read(Path file) {
        beforeEachCheck.run();
        return new ByteArrayInputStream(requireFile(file).content);
    }

    @Override
    public synchronized Digest digest(Path file) {
        beforeEachCheck.run();
        return requireFile(file).digest();
    }

    @Override
    public synchronized long size(Path file) {
        beforeEachCheck.run();
        return requireFile(file).content.length;
    }

    @Override
    public synchronized FileAttributes attributes(Path file) {
        beforeEachCheck.run();
        return requireFile(file).attributes;
    }

    @Override
    public synchronized boolean isExecutable(Path file) {
        return attributes(file).permissions().contains("x");
    }

    @Override
    public synchronized DiskFileWriter openForAppend(Path file) {
        return new OpenFile(requireFile(file));
    }

    @Override
    public synchronized void rename(Path from, Path to) {
        beforeEachWrite.run();
        requireReplaceable(to);
        FileNode node = requireFile(from);
        now.remove(from.toString());
        now.put(to.toString(), node);
        pending.add(
                new PendingWrite.NameChange(
                        parentDirectory(to), to.toString(), from.toString(), node));
    }

    @Override
    public synchronized void delete(Path file) {
        if (now.containsKey(file.toString())) {
            beforeEachWrite.run();
            if (!list(file).isEmpty()) {
                throw newFailure(file + " is not empty");
            }
            now.remove(file.toString());
            pending.add(
                    new PendingWrite.NameChange(parentDirectory(file), "", file.toString(), null));
        }
    }

    @Override
    public synchronized void createDirectory(Path directory) {
        if (!now.containsKey(directory.toString())) {
            beforeEachWrite.run();
            requireNotDenied(directory);
            requireFreeFile();
            FileNode node = new FileNode(fileIds++, true, FileAttributes.PROGRAM);
            now.put(directory.toString(), node);
            pending.add(
                    new PendingWrite.NameChange(
                            parentDirectory(directory), directory.toString(), "", node));
        }
    }

    @Override
    public synchronized void syncDirectory(Path directory) {
        beforeEachWrite.run();
        for (PendingWrite write : List.copyOf(pending)) {
            if (write instanceof PendingWrite.NameChange name && name.parent().equals(directory)) {
                applyName(durable, name, name.node());
                pending.remove(write);
            }
        }
    }

    @Override
    public synchronized List<Path> list(Path directory) {
        beforeEachCheck.run();
        String prefix = directory.toString().equals("/") ? "/" : directory + "/";
        return now.tailMap(prefix, false).keySet().stream()
                .takeWhile(path -> path.startsWith(prefix))
                .filter(path -> path.indexOf('/', prefix.length()) < 0)
                .map(Path::of)
                .toList();
    }

    @Override
    public synchronized long freeFiles(Path path) {
        beforeEachCheck.run();
        return fileLimit == Long.MAX_VALUE ? fileLimit : Math.max(0, fileLimit - now.size());
    }

    /** From now on so many more files can be created, directories included. */
    public synchronized void limitNewFiles(int more) {
        fileLimit = (long) now.size() + more;
    }

    @Override
    public synchronized long freeBytes(Path path) {
        beforeEachCheck.run();
        if (capacity == Long.MAX_VALUE) {
            return capacity; // no limit was set: what is used need not be counted
        }
        return Math.max(0, capacity - usedBytes());
    }

    private void requireSpace(int length) {
        if (freeBytes(Path.of("/")) < length) {
            String full = "No space left on the simulated disk";
            throw new DiskFailure(full, true, new IllegalStateException(full));
        }
        if (quota != Long.MAX_VALUE && usedBytes() + length > quota) {
            String full = "Disk quota exceeded on the simulated disk";
            throw new DiskFailure(full, true, new IllegalStateException(full));
        }
    }

    private long usedBytes() {
        return now.values().stream().mapToLong(node -> node.content.length).sum();
    }

    private void apply(PendingWrite write) {
        switch (write) {
            case PendingWrite.NameChange name -> {
                FileNode node = name.node();
                applyName(now, name, node == null ? null : copyById(node));
            }
            case PendingWrite.ContentChange(FileNode node) -> {
                FileNode copy = copyById(node);
                copy.synced = node.content;
                copy.syncedAttributes = node.attributes;
            }
        }
    }

    // A file has one node per disk: a name kept after its bytes must find those bytes.
    private final Map<Long, FileNode> copiesById = new HashMap<>();

    private FileNode copyById(FileNode node) {
        return copiesById.computeIfAbsent(node.id, _ -> node.copy());
    }

    private static SimulatedDisk copy(Map<String, FileNode> from, List<PendingWrite> none) {
        SimulatedDisk copy = new SimulatedDisk();
        from.forEach((path, node) -> copy.now.put(path, copy.copyById(node)));
        copy.pending.addAll(none);
        return copy;
    }

    private static void applyName(
            Map<String, FileNode> names, PendingWrite.NameChange name, @Nullable FileNode node) {
        if (!name.removed().isEmpty()) {
            names.remove(name.removed());
        }
        if (node != null) {
            names.put(name.path(), node);
        }
    }

    private boolean hasAllParents(String path) {
        for (Path at = Path.of(path).getParent(); at != null; at = at.getParent()) {
            if (!now.containsKey(at.toString())) {
                return at.getParent() == null;
            }
        }
        return true;
    }

    private static FileNode copyNode(FileNode node, Map<FileNode, FileNode> copies) {
        return copies.computeIfAbsent(node, FileNode::copy);
    }

    private FileNode requireFile(Path file) {
        FileNode node = now.get(file.toString());
        if (node == null || node.directory) {
            throw newFailure("No file " + file);
        }
        return node;
    }

    private static Path parentDirectory(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(path + " has no directory");
        }
        return parent;
    }

    private static DiskFailure newFailure(String what) {
        return new DiskFailure(what, false, new IllegalStateException(what));
    }

    private final class OpenFile implements DiskFileWriter {
        private final FileNode node;

        OpenFile(FileNode node) {
            this.node = node;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            synchronized (SimulatedDisk.this) {
                beforeEachWrite.run();
                requireSpace(length);
                int size = node.content.length;
                byte[] longer = Arrays.copyOf(node.content, size + length);
                System.arraycopy(bytes, offset, longer, size, length);
                node.content = longer;
                pending.add(new PendingWrite.ContentChange(node));
            }
        }

        @Override
        public void reserve(long bytes) {
            int missing = Math.toIntExact(bytes) - node.content.length;
            if (missing > 0) {
                write(new byte[missing], 0, missing);
            }
        }

        @Override
        public void truncate() {
            synchronized (SimulatedDisk.this) {
                beforeEachWrite.run();
                node.content = EMPTY;
                pending.add(new PendingWrite.ContentChange(node));
            }
        }

        @Override
        public void setAttributes(FileAttributes attributes) {
            synchronized (SimulatedDisk.this) {
                beforeEachWrite.run();
                node.attributes = attributes;
                pending.add(new PendingWrite.ContentChange(node));
            }
        }

        @Override
        public void sync() {
            synchronized (SimulatedDisk.this) {
                beforeEachWrite.run();
                node.synced = node.content;
                node.syncedAttributes = node.attributes;
                pending.removeIf(
                        write ->
                                write instanceof PendingWrite.ContentChange(FileNode other)
                                        && other == node);
            }
        }

        @Override
        public void close() {}
    }
}
