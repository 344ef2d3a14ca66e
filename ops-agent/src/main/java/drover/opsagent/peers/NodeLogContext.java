package drover.opsagent.peers;

import drover.model.MalformedValue;
import drover.model.NodeId;
import java.util.function.Supplier;
import org.slf4j.MDC;

/**
 * Node that the log lines of a thread name. One process may have the agents of many nodes, and few
 * lines name their node themselves.
 */
public final class NodeLogContext {
    private static final String KEY = "nodeId"; // as in the table of log keys

    private NodeLogContext() {}

    /** Node that lines of this thread name; empty for none. */
    public static String current() {
        String node = MDC.get(KEY);
        return node == null ? "" : node;
    }

    /** Lines of this thread name this node from now on. A text that is no id changes nothing. */
    public static void setIfValid(String node) {
        try {
            MDC.put(KEY, new NodeId(node).value());
        } catch (MalformedValue _) {
            // Not known yet, or a gateway sent it: it must not reach a log.
        }
    }

    /** Does something whose lines name this node. */
    public static <T> T call(String node, Supplier<T> action) {
        String before = current();
        try {
            setIfValid(node);
            return action.get();
        } finally {
            if (before.isEmpty()) {
                MDC.remove(KEY);
            } else {
                MDC.put(KEY, before);
            }
        }
    }

    /** The same without a result. */
    public static void run(String node, Runnable action) {
        boolean _ =
                call(
                        node,
                        () -> {
                            action.run();
                            return true;
                        });
    }
}
