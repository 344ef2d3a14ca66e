package drover.opsagent.store;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.model.program.ProgramSpec;
import drover.opsagent.journal.ConfigFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A program of this node, and the configuration files managed for it.
 *
 * @param written the files as Drover wrote them last, or found them when it began to manage them
 */
public record ProgramProfile(
        ProgramSpec spec, List<NodePath> managedFiles, List<ConfigFile> written) {
    public ProgramProfile {
        managedFiles = List.copyOf(managedFiles);
        written = written == null ? List.of() : List.copyOf(written); // absent in earlier agents
    }

    /** A program whose files are not known to have been written. */
    public ProgramProfile(ProgramSpec spec, List<NodePath> managedFiles) {
        this(spec, managedFiles, List.of());
    }

    /** Its name. */
    public String name() {
        return spec.name().value();
    }

    /** Digest of a file as Drover wrote it last; empty if that is not known. */
    public String writtenDigest(NodePath path) {
        return written.stream()
                .filter(file -> file.path().equals(path))
                .findFirst()
                .map(file -> file.digest().value())
                .orElse("");
    }

    /**
     * Digest that counts for a managed file. For a file that the program may change it is that of
     * what Drover wrote, as long as the file is there.
     *
     * @param onDisk digest of the present content; empty if the file is absent
     */
    public String effectiveDigest(NodePath path, String onDisk) {
        String known = writtenDigest(path);
        boolean kept = spec.programWritten().contains(path) && !known.isEmpty();
        return kept && !onDisk.isEmpty() ? known : onDisk;
    }

    /**
     * Configuration digest over the managed files that are there and the launch specification.
     *
     * @param digestOf digest of a file on the disk; empty if it is absent
     */
    public Digest configDigest(Function<NodePath, String> digestOf) {
        Map<NodePath, Digest> files = new HashMap<>();
        for (NodePath path : managedFiles) {
            String digest = effectiveDigest(path, digestOf.apply(path));
            if (!digest.isEmpty()) {
                files.put(path, new Digest(digest));
            }
        }
        return ConfigDigest.of(files, spec.launch().digest());
    }
}
