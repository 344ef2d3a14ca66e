package drover.bench.fleet;

import drover.localenv.UserFacingError;
import drover.model.Digest;
import drover.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What truly happened on the nodes, apart from what any agent says of it: a line for each start of
 * a program, which only grow (invariant C1). Many nodes share one.
 */
public final class StartedProgramLog {
    private final List<Path> file; // none when nobody wants to know

    private StartedProgramLog(List<Path> file) {
        this.file = file;
    }

    /**
     * A start.
     *
     * @param program what was started
     */
    public record StartedProgram(NodeId node, Digest program) {}

    /** Written to this file; to none when it is empty. */
    static StartedProgramLog open(String file) {
        return new StartedProgramLog(file.isEmpty() ? List.of() : List.of(Path.of(file)));
    }

    /** A program is being started. */
    synchronized void recordStart(NodeId node, Digest program) {
        for (Path path : file) {
            try {
                Files.writeString(
                        path,
                        node + " " + program + "\n",
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
            } catch (IOException e) {
                throw new UserFacingError("The file of effects cannot be written.", e);
            }
        }
    }

    /** All that a file tells; nothing while there is none. */
    public static List<StartedProgram> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        return Files.readAllLines(file).stream()
                .map(line -> line.split(" ", -1))
                .map(words -> new StartedProgram(new NodeId(words[0]), new Digest(words[1])))
                .toList();
    }
}
