package drover.bench.mesh;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Reads what a client sends to PostgreSQL (protocol 3.0, in whatever pieces it comes) and says when
 * that makes the server commit. Drivers prepare COMMIT once and then only name it, so names are
 * remembered.
 */
final class CommitWatch {
    private static final int START = 196_608; // protocol 3.0; what comes before has no type byte
    private static final int LENGTH = 4;

    private final Set<String> commits = new HashSet<>(); // prepared statements
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
            case 'Q' -> isCommit(text(body, 0));
            case 'P' -> {
                prepared(text(body, 0), text(body, after(body, 0)));
                yield false;
            }
            case 'B' -> commits.contains(text(body, after(body, 0)));
            default -> false;
        };
    }

    private void prepared(String name, String sql) {
        if (isCommit(sql)) {
            commits.add(name);
        } else {
            commits.remove(name);
        }
    }

    private static boolean isCommit(String sql) {
        return sql.strip().toUpperCase(Locale.ROOT).startsWith("COMMIT");
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
