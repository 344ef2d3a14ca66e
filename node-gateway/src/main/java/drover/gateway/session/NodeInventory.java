package drover.gateway.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What is on a node, as its agent said and as its heartbeats keep it current.
 *
 * @param programs ordered by name
 * @param attemptFloor highest attempt ever accepted or withdrawn on the node
 */
public record NodeInventory(
        String agentVersion,
        String runtime,
        String platform,
        List<String> features,
        long attemptFloor,
        List<ReportedProgram> programs) {
    private static final int FIELD_OVERHEAD = 4; // bytes of a tag and a length

    /** A node has a handful; more in a message are not kept, so that an inventory stays small. */
    public static final int MOST_PROGRAMS = 64;

    /**
     * Most characters of all programs together; programs beyond are not kept. The largest Hello has
     * 20 programs with 64 files each, 80 characters of path and 71 of digest, and 650 more of each
     * program: 20 * (64 * 151 + 650) = 206,280.
     */
    static final int MAX_CHARACTERS = 208 * 1024;

    /** What is known of a node that never connected. */
    public static final NodeInventory NONE =
            new NodeInventory("unknown", "", "", List.of(), 0, List.of());

    public NodeInventory {
        features = List.copyOf(features);
        programs =
                limitPrograms(
                        programs.stream()
                                .sorted(Comparator.comparing(ReportedProgram::name))
                                .limit(MOST_PROGRAMS)
                                .toList());
    }

    private static List<ReportedProgram> limitPrograms(List<ReportedProgram> programs) {
        List<ReportedProgram> kept = new ArrayList<>();
        int left = MAX_CHARACTERS;
        for (ReportedProgram program : programs) {
            if (program.characterCount() <= left) {
                kept.add(program);
                left -= program.characterCount();
            }
        }
        return List.copyOf(kept);
    }

    /** Approximate number of bytes in a message: characters, and overhead of each field. */
    public int estimateBytes() {
        int fields =
                programs.stream().mapToInt(program -> 9 + 2 * program.configFiles().size()).sum();
        return FIELD_OVERHEAD * fields
                + programs.stream().mapToInt(ReportedProgram::characterCount).sum();
    }

    /** The inventory after these signals; equal to this one when they say nothing new. */
    public NodeInventory withObservations(List<ProgramObservation> signals) {
        List<ReportedProgram> next = new ArrayList<>(programs);
        for (ProgramObservation signal : signals) {
            ReportedProgram known =
                    programs.stream()
                            .filter(program -> program.name().equals(signal.name()))
                            .findFirst()
                            .orElseGet(() -> ReportedProgram.named(signal.name()));
            next.removeIf(program -> program.name().equals(signal.name()));
            next.add(known.withObservation(signal));
        }
        return new NodeInventory(agentVersion, runtime, platform, features, attemptFloor, next);
    }

    /** The inventory with these programs in place of what was known of them. */
    public NodeInventory mergePrograms(List<ReportedProgram> whole) {
        List<ReportedProgram> next = new ArrayList<>(programs);
        for (ReportedProgram program : whole) {
            next.removeIf(known -> known.name().equals(program.name()));
            next.add(program);
        }
        return new NodeInventory(agentVersion, runtime, platform, features, attemptFloor, next);
    }

    /** The inventory once an attempt was reported; the floor never sinks. */
    public NodeInventory withFloorAtLeast(long attempt) {
        return new NodeInventory(
                agentVersion,
                runtime,
                platform,
                features,
                Math.max(attemptFloor, attempt),
                programs);
    }
}
