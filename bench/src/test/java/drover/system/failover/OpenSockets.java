package drover.system.failover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What this machine's kernel holds open: it answers for a process that is frozen, which no log and
 * no row does.
 */
final class OpenSockets {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    /** Columns of a table, counted from 0: whom the connection leads to, and its state. */
    private static final int REMOTE = 2;

    private static final int STATE = 3;
    private static final String ESTABLISHED = "01";

    private OpenSockets() {}

    /** How many lead to this port, each counted where it was dialled. */
    static long to(int port) {
        String end = ":%04X".formatted(port);
        return TABLES.stream()
                .filter(Files::exists)
                .flatMap(OpenSockets::rows)
                .map(row -> row.strip().split("\\s+"))
                .filter(columns -> columns.length > STATE)
                .filter(columns -> columns[REMOTE].endsWith(end))
                .filter(columns -> columns[STATE].equals(ESTABLISHED))
                .count();
    }

    private static Stream<String> rows(Path table) {
        try {
            return Files.readAllLines(table).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
