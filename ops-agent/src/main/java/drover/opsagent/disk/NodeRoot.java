package drover.opsagent.disk;

import drover.model.NodePath;
import java.nio.file.Path;

/** The directory under which all files of a node lie; nothing is followed out of it (H11). */
public final class NodeRoot {
    private final Disk disk;
    private final Path root;

    /** Names the directory, which must be absolute. */
    public NodeRoot(Disk disk, Path root) {
        this.disk = disk;
        this.root = root;
    }

    /** The directory itself. */
    public Path directory() {
        return root;
    }

    /**
     * Where a path of the node is on this machine.
     *
     * @throws PathRefused when a component is a link, or the path is taken by anything but a file
     */
    public Path resolve(NodePath path) {
        Path at = root;
        int left = path.parts().size();
        for (String part : path.parts()) {
            at = at.resolve(part);
            left--;
            Disk.Kind kind = disk.kind(at);
            Disk.Kind allowed = left > 0 ? Disk.Kind.DIRECTORY : Disk.Kind.FILE;
            if (kind != allowed && kind != Disk.Kind.ABSENT) {
                throw new PathRefused(path);
            }
        }
        return at;
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
