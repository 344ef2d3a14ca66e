package drover.gateway.engine.leader;

import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.MessageToAgent;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who leads, as far as this gateway has seen: the highest epoch, in memory, and at most one
 * attached line (invariant B4). Agents keep the highest epoch durably; the gateway only spares them
 * the noise of an earlier leader.
 */
public final class LeaderAttachment {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderAttachment.class);

    private final SessionTable table;
    private long highestEpoch; // none yet: lower than any that is given out, and no lower than 0
    private @Nullable LeaderStreamWriter current; // null while nobody is attached

    /** Nobody leads yet. */
    public LeaderAttachment(SessionTable table) {
        this.table = table;
    }

    /**
     * Attaches a leader and lets an earlier one go; one of the same epoch is replaced, because its
     * leader has dialled again.
     *
     * @throws Refused with {@code STALE_EPOCH} when a higher epoch was seen
     */
    public synchronized void attach(long epoch, String leader, LeaderStreamWriter line) {
        if (epoch < highestEpoch) {
            throw staleEpoch();
        }
        LeaderStreamWriter earlier = current;
        boolean sameLeader = epoch == highestEpoch;
        highestEpoch = epoch;
        current = line;
        if (earlier != null) {
            earlier.end(sameLeader ? streamReplaced() : staleEpoch());
        }
        LOG.info("A leader attached epoch={} coordinatorId={}", epoch, leader);
        line.start(highestEpoch);
    }

    /** A leader's stream has ended. */
    public synchronized void detach(LeaderStreamWriter line) {
        line.close();
        if (current == line) {
            current = null;
        }
    }

    /** Changes what a leader is interested in; not heard from an earlier one. */
    public synchronized void updateInterestIfCurrent(
            LeaderStreamWriter from,
            long revision,
            Collection<NodeId> add,
            Collection<NodeId> remove) {
        if (current == from) {
            from.updateInterest(revision, add, remove);
        }
    }

    /**
     * Passes something on; dropped when it comes from an earlier leader, carries an epoch lower
     * than the highest, or names a session that is not current. The leader derives it again.
     */
    public synchronized void deliverIfCurrent(
            LeaderStreamWriter from,
            long epoch,
            NodeId node,
            String sessionId,
            MessageToAgent outgoing) {
        if (current == from && epoch >= highestEpoch) {
            table.deliver(node, sessionId, outgoing);
        }
    }

    /** A leader has committed a status; not heard from an earlier one. */
    public synchronized void acknowledgeIfCurrent(
            LeaderStreamWriter from, NodeId node, MessageToAgent.Acknowledgement committed) {
        if (current == from) {
            table.acknowledge(node, committed);
        }
    }

    /** Lets the attached leader go, because the gateway goes away. */
    public synchronized void endStream() {
        if (current != null) {
            current.end(
                    new Refused(
                            RefusalCode.GATEWAY_UNAVAILABLE,
                            "This gateway is going away; attach again."));
        }
    }

    private Refused staleEpoch() {
        return new Refused(
                RefusalCode.STALE_EPOCH,
                "A leader of epoch %d is at work; step down.".formatted(highestEpoch));
    }

    private static Refused streamReplaced() {
        return new Refused(
                RefusalCode.SESSION_SUPERSEDED,
                "The same leader attached anew; this stream is over.");
    }
}
