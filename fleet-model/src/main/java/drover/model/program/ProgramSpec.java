package drover.model.program;

import java.util.List;

/**
 * A program of a node: how it is launched and how its health is seen.
 *
 * @param name the binary name of rollouts
 * @param runtime runtime it needs: {@code process}, {@code simulated}, {@code systemd}, {@code
 *     docker}
 */
public record ProgramSpec(BinaryName name, String runtime, LaunchSpec launch, List<Probe> probes) {
    public ProgramSpec {
        probes = List.copyOf(probes);
    }
}
