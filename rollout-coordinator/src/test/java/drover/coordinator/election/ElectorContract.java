package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What every elector keeps, also the one that has no rival. */
abstract class ElectorContract {
    static final Duration SOON = Waits.LIMIT;
    private final List<RecordingCandidate> campaigners = new ArrayList<>();

    /** A fresh one. */
    abstract LeaderElector elector();

    RecordingCandidate campaign(String name) {
        return campaign(name, elector());
    }

    RecordingCandidate campaign(String name, LeaderElector elector) {
        RecordingCandidate campaigner = new RecordingCandidate(elector);
        campaigners.add(campaigner);
        campaigner.campaign(name);
        return campaigner;
    }

    @AfterEach
    void closeAll() {
        campaigners.forEach(RecordingCandidate::close);
    }

    static void awaitElected(RecordingCandidate campaigner) {
        await().atMost(SOON).until(campaigner::isElected);
    }

    @Test
    void noCandidateIsElectedBeforeItCampaigns() {
        try (LeaderElector elector = elector()) {
            assertThat(elector.isElected()).isFalse();
        }
    }

    @Test
    void soleCandidateIsElectedOnce() {
        RecordingCandidate alone = campaign("alone");

        await().atMost(SOON).untilAsserted(() -> assertThat(alone.calls()).isNotEmpty());

        assertThat(alone.calls())
                .as("and was so when it was told")
                .containsExactly("elected: true");
        assertThat(alone.isElected()).isTrue();
    }

    @Test
    void closedCandidateIsNotElected() {
        RecordingCandidate leaving = campaign("leaving");
        await().atMost(SOON).until(() -> !leaving.calls().isEmpty());

        leaving.close();

        assertThat(leaving.isElected()).isFalse();
        assertThat(leaving.calls()).containsExactly("elected: true");
    }
}
