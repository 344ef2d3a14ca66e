package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.byHand;
import static drover.coordinator.api.ApiFixture.id;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.api.ApiFixture;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.Rollout;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lists of rollouts, restricted to a node or a trace. */
class RolloutSearchIT {
    @AutoClose private final ApiFixture rig = new ApiFixture();

    @Test
    @DisplayName("Rollouts are found by a node and by the trace id")
    void rolloutsAreFoundByNodeAndTrace() {
        rig.chain("searched", 2);
        rig.chain("another", 2);
        Rollout wanted = rig.create(byHand("searched"));
        rig.create(byHand("another"));
        ListRolloutsRequest all = ListRolloutsRequest.getDefaultInstance();

        assertThat(ids(all.toBuilder().setNodeId(id("searched", 1).value())))
                .containsExactly(wanted.getId());
        assertThat(ids(all.toBuilder().setTraceId(wanted.getTraceId())))
                .containsExactly(wanted.getId());
        assertThat(ids(all.toBuilder().setNodeId("nowhere"))).isEmpty();
    }

    private List<String> ids(ListRolloutsRequest.Builder only) {
        return rig.operator().listRollouts(only.build()).getRolloutsList().stream()
                .map(Rollout::getId)
                .toList();
    }
}
