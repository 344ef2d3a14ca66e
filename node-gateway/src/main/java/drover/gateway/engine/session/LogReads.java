package drover.gateway.engine.session;

import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Log reads whose response is outstanding: at most one per node, so that reads of a log never cost
 * an agent more than one message at a time. Callers that request the same log share a read.
 */
public final class LogReads {
    private final Map<NodeId, Read> outstanding = new ConcurrentHashMap<>();

    /**
     * One read.
     *
     * @param requestId known only to the session that the request is sent to
     * @param response the output; fails with {@link Refused} if the agent has none
     */
    record Read(String requestId, BinaryName program, CompletableFuture<String> response) {}

    /**
     * Joins the outstanding read of this log, or starts one.
     *
     * @param start sends the request of a new read
     * @throws Refused if another program's log of the node is being read
     */
    Read join(NodeId node, BinaryName program, Consumer<Read> start) {
        Read created =
                new Read(UUID.randomUUID().toString(), program, new CompletableFuture<>());
        Read present = outstanding.putIfAbsent(node, created);
        if (present == null) {
            start.accept(created);
            return created;
        }
        if (!present.program().equals(program)) {
            throw new Refused(
                    RefusalCode.LOG_UNAVAILABLE,
                    "The log of %s is being read from node %s; try again in a few seconds."
                            .formatted(present.program(), node));
        }
        return present;
    }

    /** Ends a read; a response that arrives later is dropped. */
    void end(NodeId node, Read read) {
        outstanding.remove(node, read);
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
        end(node, read);
        if (detail.isEmpty()) {
            read.response().complete(text);
        } else {
            read.response()
                    .completeExceptionally(new Refused(RefusalCode.LOG_UNAVAILABLE, detail));
        }
    }
}
