package drover.coordinator.election;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A candidate that remembers what it was told, and what its elector said at that moment. */
final class RecordingCandidate implements AutoCloseable {
    private final LeaderElector elector;
    private final List<String> received = new CopyOnWriteArrayList<>();

    RecordingCandidate(LeaderElector elector) {
        this.elector = elector;
    }

    void campaign(String name) {
        elector.campaign(
                name,
                new LeaderElector.Listener() {
                    @Override
                    public void onElected() {
                        received.add("elected: " + elector.isElected());
                    }

                    @Override
                    public void onLost() {
                        received.add("lost");
                    }
                });
    }

    boolean isElected() {
        return elector.isElected();
    }

    List<String> calls() {
        return List.copyOf(received);
    }

    @Override
    public void close() {
        elector.close();
    }
}
