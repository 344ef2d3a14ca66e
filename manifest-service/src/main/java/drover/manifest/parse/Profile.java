package drover.manifest.parse;

import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.program.BinaryName;
import drover.model.program.RuntimeName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the nodes of a chain are made of; templates as written.
 *
 * @param variables for templates
 * @param standalone how standalone makes nodes of it; empty when it cannot
 * @param contentHash over the raw bytes
 */
public record Profile(
        ChainProfileId id,
        RuntimeName runtime,
        List<ProgramTemplate> programs,
        Map<String, String> variables,
        HealthDefaults health,
        Optional<StandaloneNodeTemplate> standalone,
        Digest contentHash) {
    public Profile {
        programs = List.copyOf(programs);
        variables = Map.copyOf(variables);
    }

    /**
     * Defaults for health.
     *
     * @param healthWait how long a node must be well before it counts
     * @param crashLoopRestarts restarts within an attempt from which it is a crash loop
     */
    public record HealthDefaults(Duration healthWait, int crashLoopRestarts) {
        /** What DESIGN § 4 says when a profile says nothing. */
        public static final HealthDefaults DEFAULT = new HealthDefaults(Duration.ofSeconds(60), 3);
    }

    /** The program of this name, if there is one. */
    public Optional<ProgramTemplate> findProgram(BinaryName name) {
        return programs.stream().filter(program -> program.name().equals(name)).findFirst();
    }

    /** The names of the programs, for sentences. */
    public String joinProgramNames() {
        return programs.stream()
                .map(program -> program.name().value())
                .collect(Collectors.joining(", "));
    }
}
