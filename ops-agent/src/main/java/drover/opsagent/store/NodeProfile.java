package drover.opsagent.store;

import drover.model.Digest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What this node is: so the agent needs no control plane to restart or watch its programs. */
public record NodeProfile(List<ProgramProfile> programs, List<KnownVersion> versions) {
    private static final int MOST_VERSIONS = 50; // a year of weekly upgrades; older ones: unknown

    /** A node without programs. */
    public static final NodeProfile EMPTY = new NodeProfile(List.of(), List.of());

    public NodeProfile {
        programs = List.copyOf(programs);
        versions = List.copyOf(versions);
    }

    /** The program of this name; absent when the node has none. */
    public @Nullable ProgramProfile findProgram(String name) {
        for (ProgramProfile program : programs) {
            if (program.name().equals(name)) {
                return program;
            }
        }
        return null;
    }

    /** With this program in place of the one of the same name. */
    public NodeProfile with(ProgramProfile program) {
        List<ProgramProfile> all = new ArrayList<>(programs);
        all.replaceAll(other -> other.name().equals(program.name()) ? program : other);
        if (!all.contains(program)) {
            all.add(program);
        }
        return new NodeProfile(all, versions);
    }

    /** With this version known. */
    public NodeProfile with(KnownVersion version) {
        List<KnownVersion> all = new ArrayList<>(versions);
        all.removeIf(other -> other.digest().equals(version.digest()));
        all.add(version);
        int surplus = Math.max(0, all.size() - MOST_VERSIONS);
        return new NodeProfile(programs, all.subList(surplus, all.size()));
    }

    /** What is known of a digest; {@code unknown} without address otherwise. */
    public KnownVersion findVersionOrUnknown(Digest digest) {
        return versions.stream()
                .filter(known -> known.digest().equals(digest))
                .findFirst()
                .orElse(new KnownVersion(digest, "unknown", ""));
    }
}
