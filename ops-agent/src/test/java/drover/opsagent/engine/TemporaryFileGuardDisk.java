package drover.opsagent.engine;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.ForwardingDisk;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The disk as one agent has it, who may look into its own temporary files and not into those that
 * an agent before it left: what they hold is half of something. It may see that they are there, and
 * delete them.
 */
final class TemporaryFileGuardDisk extends ForwardingDisk {
    private static final String TEMPORARY = "/.drover-";

    private final Disk disk;
    private final List<String> violations;
    private final Set<Path> own = new HashSet<>();

    TemporaryFileGuardDisk(Disk disk, List<String> violations) {
        super(disk);
        this.disk = disk;
        this.violations = violations;
    }

    /** Where a temporary file lies; all of the path of another. */
    static String place(String path) {
        int name = path.indexOf(TEMPORARY);
        return name < 0 ? path : path.substring(0, name + TEMPORARY.length());
    }

    /** Whether a path is a temporary file's. */
    static boolean isTemporary(String path) {
        return path.contains(TEMPORARY);
    }

    private Path checked(Path file) {
        if (isTemporary(file.toString()) && !own.contains(file)) {
            violations.add("an agent looked into " + file + ", which another one left");
        }
        return file;
    }

    @Override
    public DiskFileWriter createExclusive(Path file) {
        own.add(file);
        return super.createExclusive(file);
    }

    @Override
    public InputStream read(Path file) {
        return super.read(checked(file));
    }

    @Override
    public Digest digest(Path file) {
        return disk.digest(checked(file));
    }

    @Override
    public long size(Path file) {
        return super.size(checked(file));
    }

    @Override
    public FileAttributes attributes(Path file) {
        return super.attributes(checked(file));
    }

    @Override
    public void rename(Path from, Path to) {
        super.rename(checked(from), to);
    }
}
