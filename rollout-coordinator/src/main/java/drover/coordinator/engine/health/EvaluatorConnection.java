package drover.coordinator.engine.health;

import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The link to one health-evaluator, opened again and again. Used under the lock of its {@link
 * EvaluatorAssignments}; what it hears comes without that lock.
 */
final class EvaluatorConnection {
    private final int number;
    private final HealthEvaluatorLink.Connector dialer;
    private final VerdictListener ear;
    private @Nullable HealthEvaluatorLink link; // null while it is lost
    private boolean open;
    private long opening;
    private List<String> gateways = List.of();

    /**
     * @param number its place in the list that the coordinator was given, from 1
     */
    EvaluatorConnection(int number, HealthEvaluatorLink.Connector dialer, VerdictListener ear) {
        this.number = number;
        this.dialer = dialer;
        this.ear = ear;
    }

    /** Who listens to what an opening of a line says; that of an earlier one is old. */
    interface VerdictListener {
        void onOpened(EvaluatorConnection line, long opening);

        void onVerdicts(
                EvaluatorConnection line, long opening, Map<NodeId, HealthVerdict> verdicts);

        void onClosed(EvaluatorConnection line, long opening);
    }

    int listPosition() {
        return number;
    }

    HealthEvaluatorLink.Connector connector() {
        return dialer;
    }

    /** Whether it can be heard. */
    boolean isOpen() {
        return open;
    }

    /** The number of its latest opening. */
    long generation() {
        return opening;
    }

    /**
     * Opens the link if it is lost, and tells it of these gateways if they are news to it.
     *
     * @param fresh the number of the next opening, of whatever line
     * @return whether the link was opened
     */
    boolean openIfLostAndSetGateways(List<String> addresses, long fresh) {
        boolean connected = link == null;
        if (connected) {
            opening = fresh;
            link = dialer.open(new LinkListener(fresh));
        }
        if (link != null && (connected || !addresses.equals(gateways))) {
            gateways = List.copyOf(addresses);
            link.setGateways(gateways);
        }
        return connected;
    }

    void markOpen() {
        open = true;
    }

    void markLost() {
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
    private final class LinkListener implements HealthEvaluatorLink.Listener {
        private final long which;

        LinkListener(long which) {
            this.which = which;
        }

        @Override
        public void onOpened() {
            ear.onOpened(EvaluatorConnection.this, which);
        }

        @Override
        public void onVerdicts(Map<NodeId, HealthVerdict> verdicts) {
            ear.onVerdicts(EvaluatorConnection.this, which, verdicts);
        }

        @Override
        public void onClosed() {
            ear.onClosed(EvaluatorConnection.this, which);
        }
    }
}
