package drover.localenv;

import drover.kit.text.ShellWord;
import drover.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Where a mesh keeps everything that must survive it. Deleting the directory forgets the mesh.
 *
 * @param root the directory itself, absolute
 */
public record DataDirectory(Path root) {
    /** Raised when a new Drover can no longer read what an older one left. */
    static final String LAYOUT = "drover-data 1";

    public DataDirectory {
        root = root.toAbsolutePath().normalize();
    }

    /**
     * Makes the directory when it is missing, and takes its lock.
     *
     * @throws UserFacingError when another mesh runs on it, when another version of Drover made it,
     *     or when it cannot be written
     */
    public DirectoryLock createAndLock() {
        make(root);
        DirectoryLock lock =
                DirectoryLock.tryAcquire(lockFile())
                        .orElseThrow(
                                () ->
                                        new UserFacingError(
                                                "Another Drover runs on "
                                                        + root
                                                        + "; stop it with './drover down --data "
                                                        + ShellWord.of(root)
                                                        + "' or choose another directory with"
                                                        + " --data."));
        try {
            checkOrWriteVersion();
            return lock;
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** The process that runs a mesh here, if any. */
    public Optional<ProcessHandle> runningProcess() {
        return DirectoryLock.holder(lockFile());
    }

    /** True when a mesh was ever started here. */
    public boolean isInitialized() {
        return Files.isRegularFile(versionFile());
    }

    /** The database's files. */
    public Path postgres() {
        return root.resolve("postgres");
    }

    /** The configuration used when none is named. */
    public Path config() {
        return root.resolve("config");
    }

    /** The key of who runs the fleet. */
    public Path adminKey() {
        return root.resolve("admin.key");
    }

    /** The key of who approves. */
    public Path approverKey() {
        return root.resolve("approver.key");
    }

    /** The authority that signs the mesh's nodes. */
    public Path ca() {
        return root.resolve("authority");
    }

    /** What the mesh's gateway shows to nodes. */
    public Path gatewayIdentity() {
        return root.resolve("gateway");
    }

    /** The key that signs commands; its public half lies beside it. */
    public Path commandKey() {
        return root.resolve("command.key");
    }

    /** The log of the mesh. */
    public Path log() {
        return root.resolve("drover.log");
    }

    /** What the running mesh says of itself. */
    public Path runningDeploymentFile() {
        return root.resolve("mesh.json");
    }

    /** The nodes and the ports that were chosen for them. */
    public Path portAssignmentsFile() {
        return root.resolve("nodes.json");
    }

    /** All nodes. */
    public Path nodes() {
        return root.resolve("nodes");
    }

    /** One node. */
    public NodeDirectory node(NodeId node) {
        return new NodeDirectory(nodes().resolve(node.value()));
    }

    /** The nodes that have a directory here, by name. */
    public List<NodeDirectory> existingNodes() {
        if (!Files.isDirectory(nodes())) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(nodes())) {
            return entries.filter(Files::isDirectory).sorted().map(NodeDirectory::new).toList();
        } catch (IOException e) {
            throw new UserFacingError(
                    "The directory " + nodes() + " cannot be read; check the disk.", e);
        }
    }

    private Path lockFile() {
        return root.resolve("lock");
    }

    private Path versionFile() {
        return root.resolve("version");
    }

    private void checkOrWriteVersion() {
        try {
            if (Files.exists(versionFile())) {
                String found = Files.readString(versionFile()).strip();
                if (!found.equals(LAYOUT)) {
                    throw new UserFacingError(
                            root
                                    + " was made by another version of Drover ('"
                                    + found
                                    + "', this one writes '"
                                    + LAYOUT
                                    + "'); start that version, or choose another directory with"
                                    + " --data.");
                }
            } else if (!isUnused()) {
                throw new UserFacingError(
                        root
                                + " holds files that are not Drover's; choose an empty or new"
                                + " directory with --data.");
            } else {
                AtomicFileWriter.write(versionFile(), LAYOUT + "\n");
            }
        } catch (IOException e) {
            throw new UserFacingError(
                    "The directory " + root + " cannot be read; check the disk.", e);
        }
    }

    /**
     * True for a directory with nothing but what is there before the first start. Nodes may have
     * directories already: in a container each is a volume of its own.
     */
    private boolean isUnused() throws IOException {
        Set<Path> beforehand = Set.of(lockFile(), log(), config(), nodes());
        try (Stream<Path> entries = Files.list(root)) {
            return entries.allMatch(beforehand::contains) && hasNoFiles(nodes());
        }
    }

    private static boolean hasNoFiles(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return true;
        }
        try (Stream<Path> below = Files.walk(directory)) {
            return below.allMatch(Files::isDirectory);
        }
    }

    private static void make(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UserFacingError(
                    "The data directory "
                            + directory
                            + " cannot be made; name one that you may write to with --data.",
                    e);
        }
    }
}
