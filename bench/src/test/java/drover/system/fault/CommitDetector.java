package drover.system.fault;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads what a client sends to PostgreSQL (protocol 3.0, in whatever pieces it comes) and says when
 * that makes the server commit, and what. Drivers prepare a statement once and then only name it,
 * so names are remembered.
 */
final class CommitDetector {
    private static final int START = 196_608; // protocol 3.0; what comes before has no type byte
    private static final int LENGTH = 4;

    private final Map<String, String> prepared = new HashMap<>(); // statements by their names
    private final List<String> statements = new ArrayList<>();
    private boolean inTransaction;
    private ByteBuffer rest = ByteBuffer.allocate(0);
    private boolean started;

    /** True when one of the messages that are complete with these bytes commits. */
    boolean sent(byte[] bytes, int length) {
        ByteBuffer all = ByteBuffer.allocate(rest.remaining() + length);
        rest = all.put(rest).put(bytes, 0, length).flip();
        boolean commits = false;
        while (isWhole()) {
            commits |= next();
        }
        return commits;
    }

    /** Whether a message lies there from its first byte to its last. */
    private boolean isWhole() {
        int type = started ? 1 : 0;
        return rest.remaining() >= type + LENGTH
                && rest.remaining() >= type + rest.getInt(rest.position() + type);
    }

    private boolean next() {
        if (!started) {
            int length = rest.getInt();
            started = rest.getInt(rest.position()) == START; // else it asks for TLS
            rest.position(rest.position() + length - LENGTH);
            return false;
        }
        char type = (char) rest.get();
        byte[] body = new byte[rest.getInt() - LENGTH];
        rest.get(body);
        return switch (type) {
            case 'Q' -> isRun(text(body, 0));
            case 'P' -> {
                prepared.put(text(body, 0), text(body, after(body, 0)));
                yield false;
            }
            case 'B' -> isRun(prepared.getOrDefault(text(body, after(body, 0)), ""));
            default -> false;
        };
    }

    /** Whether it commits. */
    private boolean isRun(String sql) {
        String word = sql.strip().toUpperCase(Locale.ROOT);
        if (word.startsWith("COMMIT") || word.startsWith("ROLLBACK")) {
            inTransaction = false;
            return word.startsWith("COMMIT");
        }
        if (!inTransaction) {
            statements.clear();
        }
        inTransaction |= word.startsWith("BEGIN");
        statements.add(sql.strip());
        return false;
    }

    /** What the last transaction, or the one that is open, is made of so far. */
    List<String> statements() {
        return List.copyOf(statements);
    }

    private static String text(byte[] body, int from) {
        return new String(
                Arrays.copyOfRange(body, from, after(body, from) - 1), StandardCharsets.UTF_8);
    }

    private static int after(byte[] body, int from) {
        int end = from;
        while (body[end] != 0) {
            end++;
        }
        return end + 1;
    }
}
