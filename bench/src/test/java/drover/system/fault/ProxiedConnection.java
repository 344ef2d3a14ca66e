package drover.system.fault;

import drover.system.fault.Fault.Direction;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** One connection through a {@link FaultProxy}; a thread for each direction. */
final class ProxiedConnection {
    private static final int PIECE = 16 * 1024;
    private static final String COMMITTED = "COMMIT\0"; // the tag of PostgreSQL's answer

    private final FaultProxy link;
    private final Socket caller;
    private final Socket called;
    private final CommitDetector watch = new CommitDetector();
    private final AtomicInteger open = new AtomicInteger(2); // directions
    private volatile boolean committing; // whose answer is still to come
    private volatile boolean unanswered; // nor will it be told

    ProxiedConnection(FaultProxy link, Socket caller, Socket called) {
        this.link = link;
        this.caller = caller;
        this.called = called;
    }

    void start(Runnable ended) {
        pump(Direction.QUESTIONS, caller, called, ended);
        pump(Direction.ANSWERS, called, caller, ended);
    }

    private void pump(Direction direction, Socket from, Socket to, Runnable ended) {
        Thread.ofPlatform()
                .daemon()
                .name("link-" + direction)
                .start(
                        () -> {
                            if (pass(direction, from, to)) {
                                end();
                            }
                            if (open.decrementAndGet() == 0) {
                                end();
                                ended.run();
                            }
                        });
    }

    /** Until one end is over; false when the other end must not hear of that. */
    private boolean pass(Direction direction, Socket from, Socket to) {
        boolean unresponsive = false;
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] piece = new byte[PIECE];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                boolean commit = link.leadsToPostgres() && isCommit(direction, piece, read);
                unresponsive |= link.isLostOnceLetThrough(direction);
                if (unresponsive) {
                    continue; // a stream with a hole in it is none: mute for good
                }
                if (delivers(direction, commit)) {
                    out.write(piece, 0, read);
                    out.flush();
                } else if (commit) {
                    return true;
                }
            }
        } catch (IOException e) {
            // one end has gone
        }
        // Of the end as well the other one hears only where something still gets through.
        return !(unresponsive || link.isLostOnceLetThrough(direction));
    }

    /** Whether this is a COMMIT, or tells that one is done; noted before it is passed on. */
    private boolean isCommit(Direction direction, byte[] piece, int length) {
        boolean commit =
                switch (direction) {
                    case QUESTIONS -> watch.sent(piece, length);
                    case ANSWERS ->
                            committing
                                    && new String(piece, 0, length, StandardCharsets.ISO_8859_1)
                                            .contains(COMMITTED);
                };
        if (commit) {
            committing = direction == Direction.QUESTIONS;
            link.passes(direction, watch.statements());
        }
        return commit;
    }

    /** Whether it is passed on. */
    private boolean delivers(Direction direction, boolean commit) {
        return switch (direction) {
            case QUESTIONS -> {
                unanswered |= commit && link.leavesCommitsUnanswered();
                yield true;
            }
            case ANSWERS -> !unanswered;
        };
    }

    /** For both ends. */
    void end() {
        close(caller);
        close(called);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed, or as good as closed
        }
    }
}
