package drover.bench.fleet;

import drover.localenv.UserFacingError;
import drover.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * When agents took which command, by the machine's clock: a line for each in one file, which many
 * nodes share. A command is taken when its journal is in place (invariant B4); what comes after
 * that on the same journal is not noted.
 */
public final class CommandReceiptFile {
    private final Path file;
    private final Set<CommandId> noted = ConcurrentHashMap.newKeySet();

    /** Noted in this file. */
    CommandReceiptFile(Path file) {
        this.file = file;
    }

    /** A command, by the node and its attempt. */
    public record CommandId(NodeId node, long attempt) {}

    /** A node has taken a command; only the first time counts. */
    void recordIfFirst(NodeId node, long attempt, Instant at) {
        CommandId taken = new CommandId(node, attempt);
        if (noted.add(taken)) {
            write(node + " " + attempt + " " + at + "\n");
        }
    }

    private synchronized void write(String line) {
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UserFacingError("The file of receipts cannot be written.", e);
        }
    }

    /** All that a file tells; nothing while there is none. */
    public static Map<CommandId, Instant> read(Path file) {
        Map<CommandId, Instant> all = new HashMap<>();
        try {
            if (Files.exists(file)) {
                for (String line : Files.readAllLines(file)) {
                    String[] words = line.split(" ", -1);
                    all.put(
                            new CommandId(new NodeId(words[0]), Long.parseLong(words[1])),
                            Instant.parse(words[2]));
                }
            }
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be read: " + e.getMessage(), e);
        }
        return Map.copyOf(all);
    }
}
