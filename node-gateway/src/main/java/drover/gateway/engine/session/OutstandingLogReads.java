package drover.gateway.engine.session;

import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Log reads whose response is outstanding: at most one per node, so that reads of a log never cost
 * an agent more than one message at a time. Callers that request the same log share a read, and all
 * of them get its result.
 */
public final class OutstandingLogReads {
    private final Map<NodeId, Read> outstanding = new ConcurrentHashMap<>();

    /**
     * One read.
     *
     * @param requestId known only to the session that the request is sent to
     * @param result the output; fails with {@link Refused} if there is none
     */
    record Read(String requestId, BinaryName program, CompletableFuture<String> result) {}

    /** A read, and whether it is new: then the caller sends the request and limits its time. */
    record JoinResult(Read read, boolean created) {}

    /**
     * Joins the outstanding read of this log, or creates one.
     *
     * @throws Refused if another program's log of the node is being read
     */
    JoinResult join(NodeId node, BinaryName program) {
        Read created = new Read(UUID.randomUUID().toString(), program, new CompletableFuture<>());
        Read present = outstanding.putIfAbsent(node, created);
        if (present == null) {
            return new JoinResult(created, true);
        }
        if (!present.program().equals(program)) {
            throw new Refused(
                    RefusalCode.LOG_UNAVAILABLE,
                    "The log of %s is being read from node %s; try again in a few seconds."
                            .formatted(present.program(), node));
        }
        return new JoinResult(present, false);
    }

    /** Ends a read without output. Nothing happens if it has ended. */
    void fail(NodeId node, Read read, Refused reason) {
        outstanding.remove(node, read);
        read.result().completeExceptionally(reason);
    }

    /** The session of a node has ended: its agent will not respond. */
    void failOnDisconnect(NodeId node) {
        Read read = outstanding.get(node);
        if (read != null) {
            fail(node, read, notConnected(node));
        }
    }

    static Refused notConnected(NodeId node) {
        return new Refused(
                RefusalCode.NODE_OFFLINE,
                "The agent of node %s is not connected; start it, or read the log on the node."
                        .formatted(node));
    }

    /**
     * Completes a read. A response to no outstanding read is dropped.
     *
     * @param detail why there is no output; empty if there is
     */
    public void complete(NodeId node, String requestId, String text, String detail) {
        Read read = outstanding.get(node);
        if (read == null || !read.requestId().equals(requestId)) {
            return;
        }
        if (detail.isEmpty()) {
            outstanding.remove(node, read);
            read.result().complete(text);
        } else {
            fail(node, read, new Refused(RefusalCode.LOG_UNAVAILABLE, detail));
        }
    }
}
