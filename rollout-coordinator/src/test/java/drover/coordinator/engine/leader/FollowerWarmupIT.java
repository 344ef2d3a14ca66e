package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.rollout.StoredHashChain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class FollowerWarmupIT {
    private static final int NODES = 3;
    private static final Duration SOON = Waits.LIMIT;

    @AutoClose private TermFixture rig;
    private FollowerWarmup warmup;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", NODES, 1));
        warmup = new FollowerWarmup("standby", rig.neighbours(), () -> false);
    }

    /** What the database holds that a leader writes. */
    private String written() {
        return "epoch %d, revisions %d, history %d, decided %d"
                .formatted(
                        rig.database.count("SELECT epoch FROM leader_epoch"),
                        rig.database.count("SELECT sum(revision) FROM rollout"),
                        rig.database.count("SELECT count(*) FROM history"),
                        rig.database.count(
                                "SELECT count(*) FROM operator_request WHERE state <> 'pending'"));
    }

    @Test
    @DisplayName(
            "B1: whoever rehearses decides what was asked, and the fence lets nothing of it in")
    void writesNothingWithoutALeader() {
        rig.submit(new OperatorRequest.Start());
        String before = written();

        assertThat(warmup.warmUpOnce()).isTrue();

        assertThat(written()).isEqualTo(before).startsWith("epoch 0,").endsWith("decided 0");
        assertThat(rig.deliveries()).isEmpty();
    }

    @Test
    @DisplayName("B4: gateways stay with their leader, whoever rehearses meanwhile")
    void takesNothingFromTheLeader() {
        List<MessageToNode> held = Collections.synchronizedList(new ArrayList<>());
        rig.gateway.onDelivery(held::add);
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> !held.isEmpty());

        assertThat(warmup.warmUpOnce()).as("while a node is at work").isTrue();

        rig.gateway.onDelivery(rig::obey);
        List.copyOf(held).forEach(rig::obey);

        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Completed);
        assertThat(rig.deliveries()).as("one command a node").hasSize(NODES);
        assertThat(rig.database.count("SELECT epoch FROM leader_epoch")).isEqualTo(1);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
        assertThat(warmup.warmUpOnce()).as("nothing is under way any more").isFalse();
    }
}
