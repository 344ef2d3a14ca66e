package drover.opsagent.disk;

import drover.model.NodePath;
import drover.opsagent.policy.LocalPolicy;
import java.nio.file.Path;

/**
 * The directory under which all files of a node lie; nothing is followed out of it, and nothing is
 * touched in it that the node's own policy does not list (H11).
 */
public final class NodeRoot {
    private final Disk disk;
    private final Path root;
    private final LocalPolicy policy;

    /** Names the directory, which must be absolute, and what in it may be touched. */
    public NodeRoot(Disk disk, Path root, LocalPolicy policy) {
        this.disk = disk;
        this.root = root;
        this.policy = policy;
    }

    /** The directory itself. */
    public Path directory() {
        return root;
    }

    /**
     * Where a path of the node is on this machine.
     *
     * @throws PathRefused when a component is a link or lies on another file system, the path is
     *     taken by anything but a file of that one name, or the policy does not list it, or lists a
     *     root that is not there: an agent makes directories in a root, and never the root
     */
    public Path resolveWritable(NodePath path) {
        if (!policy.mayWrite(path)) {
            throw new PathRefused(
                    path
                            + " lies under no root of this node's policy (it has "
                            + policy.rootsText()
                            + "): plan for other paths, or let the node's owner list it.");
        }
        Path top = policyRoot(path);
        requirePolicyRootExists(path, top);
        Path at = root;
        int left = path.parts().size();
        for (String part : path.parts()) {
            at = at.resolve(part);
            left--;
            Disk.EntryKind kind = disk.kind(at);
            Disk.EntryKind allowed = left > 0 ? Disk.EntryKind.DIRECTORY : Disk.EntryKind.FILE;
            if (kind != allowed && kind != Disk.EntryKind.ABSENT) {
                throw new PathRefused(path);
            }
            if (kind != Disk.EntryKind.ABSENT) {
                requireNotShared(path, at, kind, top);
            }
        }
        return at;
    }

    private void requirePolicyRootExists(NodePath path, Path top) {
        if (policy.bounded() && disk.kind(top) == Disk.EntryKind.ABSENT) {
            throw new PathRefused(
                    path
                            + " lies under root /"
                            + root.relativize(top)
                            + " of this node's policy, which is not there: let the node's owner"
                            + " make it.");
        }
    }

    /** A second name of a file, or another disk, may be somebody else's. */
    private void requireNotShared(NodePath path, Path at, Disk.EntryKind kind, Path top) {
        boolean below = policy.bounded() && at.startsWith(top) && !at.equals(top);
        if (kind != Disk.EntryKind.FILE && !below) {
            return;
        }
        Disk.DeviceAndLinkCount found = disk.identity(at);
        if (kind == Disk.EntryKind.FILE && found.links() > 1) {
            throw new PathRefused(
                    path + " has another name elsewhere: put a file of its own there.");
        }
        if (below && found.device() != disk.identity(top).device()) {
            throw new PathRefused(
                    path + " lies on another file system than its root: list that root itself.");
        }
    }

    /** Where the root that the policy lists for a path is; above it lies what is not asked of. */
    private Path policyRoot(NodePath path) {
        return policy.findRoot(path).map(it -> root.resolve(it.value().substring(1))).orElse(root);
    }

    /** A path that must not be touched. */
    public static final class PathRefused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** In one sentence that says what to do. */
        public PathRefused(String sentence) {
            super(sentence);
        }

        PathRefused(NodePath path) {
            super(
                    path
                            + " leads through a link or is no plain file: put plain directories and"
                            + " a plain file there.");
        }
    }
}
