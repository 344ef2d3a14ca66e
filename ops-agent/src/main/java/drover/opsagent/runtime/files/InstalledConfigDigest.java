package drover.opsagent.runtime.files;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.ConfigDigest;
import drover.opsagent.store.ProgramProfile;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** Measures what a program that somebody else started has read: the files as they are now. */
public final class InstalledConfigDigest {
    private InstalledConfigDigest() {}

    /**
     * The digest over the managed files that are there and the launch specification.
     *
     * @param digestOf of a file of the node; empty when it is absent
     */
    public static Digest compute(ProgramProfile program, Function<NodePath, String> digestOf) {
        Map<NodePath, Digest> files = new HashMap<>();
        for (NodePath path : program.managedFiles()) {
            String digest = digestOf.apply(path);
            if (!digest.isEmpty()) {
                files.put(path, new Digest(digest));
            }
        }
        return ConfigDigest.of(files, program.spec().launch().digest());
    }
}
