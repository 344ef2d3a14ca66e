package drover.gateway.engine.session;

import drover.gateway.session.ConnectedExecutor;
import drover.gateway.session.MessageToAgent;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads the end of a program's output from the agent that is connected to this gateway. Nothing is
 * stored: the agent reads it when it is requested.
 */
public final class NodeLogReader {
    /** Feature of agents that respond to a request for a log. */
    public static final String FEATURE = "log/1";

    /** Shorter than the deadline of the coordinator's call, so that the caller gets the reason. */
    private static final Duration TIMEOUT = Duration.ofSeconds(8);

    private final SessionTable table;
    private final Duration timeout;

    /** Reads from the agents of these sessions. */
    public NodeLogReader(SessionTable table) {
        this(table, TIMEOUT);
    }

    NodeLogReader(SessionTable table, Duration timeout) {
        this.table = table;
        this.timeout = timeout;
    }

    /**
     * Requests the output from the agent and waits for the response.
     *
     * @throws Refused with {@code NODE_OFFLINE} if no agent of the node is connected to this
     *     gateway, or {@code LOG_UNAVAILABLE} if the agent does not return the output
     */
    public String read(NodeId node, BinaryName program) {
        ConnectedExecutor executor =
                table.snapshot(node)
                        .executor()
                        .orElseThrow(() -> OutstandingLogReads.notConnected(node));
        if (!executor.inventory().features().contains(FEATURE)) {
            throw unavailable(
                    "The agent of node %s cannot return logs; upgrade the agent.".formatted(node));
        }
        OutstandingLogReads.JoinResult joined = table.logReads().join(node, program);
        if (joined.created()) {
            request(node, executor, joined.read());
        }
        return await(node, joined);
    }

    private void request(NodeId node, ConnectedExecutor executor, OutstandingLogReads.Read read) {
        boolean sent =
                table.deliver(
                        node,
                        executor.sessionId(),
                        new MessageToAgent.ReadLog(read.requestId(), read.program().value()));
        if (!sent) {
            table.logReads().fail(node, read, OutstandingLogReads.notConnected(node));
        }
    }

    /** The creator of a read limits its time for all that joined it. */
    private String await(NodeId node, OutstandingLogReads.JoinResult joined) {
        OutstandingLogReads.Read read = joined.read();
        try {
            return joined.created()
                    ? read.result().get(timeout.toNanos(), TimeUnit.NANOSECONDS)
                    : read.result().get();
        } catch (TimeoutException e) {
            Refused late =
                    unavailable(
                            "The agent of node %s did not return the log within %d s; try again."
                                    .formatted(node, timeout.toSeconds()));
            table.logReads().fail(node, read, late);
            throw late;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Refused refused) {
                throw new Refused(refused.code(), refused.sentence());
            }
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Refused stopped = unavailable("The call was cancelled; try again.");
            if (joined.created()) {
                table.logReads().fail(node, read, stopped);
            }
            throw stopped;
        }
    }

    private static Refused unavailable(String sentence) {
        return new Refused(RefusalCode.LOG_UNAVAILABLE, sentence);
    }
}
