package drover.coordinator.engine;

import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.HealthLink.Watch;
import drover.coordinator.plan.HealthVerdict;
import drover.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The link to one health-evaluator, opened again and again. Used under the lock of its {@link
 * HealthDesk}; what it hears comes without that lock.
 */
final class EvaluatorLine {
    private final int number;
    private final HealthLink.Dialer dialer;
    private final Ear ear;
    private @Nullable HealthLink link; // null while it is lost
    private boolean open;
    private long opening;
    private List<String> gateways = List.of();

    /**
     * @param number its place in the list that the coordinator was given, from 1
     */
    EvaluatorLine(int number, HealthLink.Dialer dialer, Ear ear) {
        this.number = number;
        this.dialer = dialer;
        this.ear = ear;
    }

    /** Who listens to what an opening of a line says; that of an earlier one is old. */
    interface Ear {
        void opened(EvaluatorLine line, long opening);

        void verdicts(EvaluatorLine line, long opening, Map<NodeId, HealthVerdict> verdicts);

        void closed(EvaluatorLine line, long opening);
    }

    int number() {
        return number;
    }

    HealthLink.Dialer dialer() {
        return dialer;
    }

    /** Whether it can be heard. */
    boolean isOpen() {
        return open;
    }

    /** The number of its latest opening. */
    long opening() {
        return opening;
    }

    /**
     * Opens the link if it is lost, and tells it of these gateways if they are news to it.
     *
     * @param fresh the number of the next opening, of whatever line
     * @return whether the link was opened
     */
    boolean follow(List<String> addresses, long fresh) {
        boolean dialled = link == null;
        if (dialled) {
            opening = fresh;
            link = dialer.open(new Hearing(fresh));
        }
        if (link != null && (dialled || !addresses.equals(gateways))) {
            gateways = List.copyOf(addresses);
            link.gateways(gateways);
        }
        return dialled;
    }

    void heard() {
        open = true;
    }

    void lost() {
        link = null;
        open = false;
    }

    void watch(Collection<Watch> watches) {
        if (link != null && !watches.isEmpty()) {
            link.watch(watches);
        }
    }

    void unwatch(Collection<NodeId> nodes) {
        if (link != null) {
            link.unwatch(nodes);
        }
    }

    void close() {
        if (link != null) {
            link.close();
            link = null;
        }
    }

    /** What one opening says. */
    private final class Hearing implements HealthLink.Events {
        private final long which;

        Hearing(long which) {
            this.which = which;
        }

        @Override
        public void opened() {
            ear.opened(EvaluatorLine.this, which);
        }

        @Override
        public void verdicts(Map<NodeId, HealthVerdict> verdicts) {
            ear.verdicts(EvaluatorLine.this, which, verdicts);
        }

        @Override
        public void closed() {
            ear.closed(EvaluatorLine.this, which);
        }
    }
}
