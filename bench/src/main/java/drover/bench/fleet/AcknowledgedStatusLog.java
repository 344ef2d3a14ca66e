package drover.bench.fleet;

import drover.localenv.UserFacingError;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What nodes were told was written down of them: a line for each acknowledgement of a status. What
 * stands here must be in the history, whoever was killed meanwhile (invariant C10).
 */
public final class AcknowledgedStatusLog {
    private final List<Path> file; // none when nobody wants to know

    private AcknowledgedStatusLog(List<Path> file) {
        this.file = file;
    }

    /**
     * An acknowledged status.
     *
     * @param outcome of its attempt; in progress when the attempt was under way
     */
    public record AcknowledgedStatus(
            NodeId node, long attempt, long sequence, AttemptOutcome outcome) {}

    /** Written to this file; to none when it is empty. */
    static AcknowledgedStatusLog open(String file) {
        return new AcknowledgedStatusLog(file.isEmpty() ? List.of() : List.of(Path.of(file)));
    }

    /** A node was told that its status is written down. */
    synchronized void record(NodeId node, AttemptStatus status) {
        Journal journal = status.journal();
        for (Path path : file) {
            try {
                Files.writeString(
                        path,
                        "%s %d %d %s%n"
                                .formatted(
                                        node,
                                        journal.attempt(),
                                        status.sequence(),
                                        journal.ending().outcome()),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UserFacingError("The file of acknowledgements cannot be written.", e);
            }
        }
    }

    /** All that a file tells; nothing while there is none. */
    public static List<AcknowledgedStatus> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        return Files.readAllLines(file).stream()
                .map(line -> line.split(" ", -1))
                .map(
                        words ->
                                new AcknowledgedStatus(
                                        new NodeId(words[0]),
                                        Long.parseLong(words[1]),
                                        Long.parseLong(words[2]),
                                        AttemptOutcome.valueOf(words[3])))
                .toList();
    }
}
