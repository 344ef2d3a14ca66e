package drover.model.program;

import drover.model.NodePath;
import java.util.List;
import java.util.Optional;

/**
 * A program of a node: how it is launched and how its health is seen.
 *
 * @param name the binary name of rollouts
 * @param runtime runtime it needs: {@code process}, {@code simulated}, {@code systemd}, {@code
 *     docker}
 * @param programWritten managed configuration files that the program may change: a change by the
 *     program is no drift
 * @param cluster how the state of the cluster is read that it is a member of; empty if it is none
 */
public record ProgramSpec(
        BinaryName name,
        String runtime,
        LaunchSpec launch,
        List<Probe> probes,
        List<NodePath> programWritten,
        Optional<ClusterProbe> cluster) {
    public ProgramSpec {
        probes = List.copyOf(probes);
        // Absent in what an earlier agent stored.
        programWritten = programWritten == null ? List.of() : List.copyOf(programWritten);
        cluster = cluster == null ? Optional.empty() : cluster; // the same
    }

    /** A program that is no member of a cluster. */
    public ProgramSpec(
            BinaryName name,
            String runtime,
            LaunchSpec launch,
            List<Probe> probes,
            List<NodePath> programWritten) {
        this(name, runtime, launch, probes, programWritten, Optional.empty());
    }

    /** A program that changes none of its managed files. */
    public ProgramSpec(BinaryName name, String runtime, LaunchSpec launch, List<Probe> probes) {
        this(name, runtime, launch, probes, List.of());
    }
}
