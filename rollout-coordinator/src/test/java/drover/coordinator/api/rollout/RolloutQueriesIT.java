package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.assertRefused;
import static drover.coordinator.api.ApiFixture.byHand;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.api.ApiFixture;
import drover.model.RefusalCode;
import drover.rollout.v1.ExplainRolloutRequest;
import drover.rollout.v1.ExplainRolloutResponse;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.ListRolloutNodesRequest;
import drover.rollout.v1.ListRolloutNodesResponse;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.Reason;
import drover.rollout.v1.RetryNodeRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.RolloutStatus;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators read. Nothing here writes, so all share three rollouts. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RolloutQueriesIT {
    private static final int NODES = 5;
    private static final int UNSIGNED_MOST = -1; // 4,294,967,295 as Java holds a uint32

    private ApiFixture rig;
    private final List<Rollout> rollouts = new ArrayList<>();

    @BeforeAll
    void createThreeRollouts() {
        rig = new ApiFixture();
        for (String chain : List.of("one", "two", "three")) {
            rig.chain(chain, NODES);
            rollouts.add(rig.create(byHand(chain)));
        }
    }

    @AfterAll
    void stopServer() {
        if (rig != null) {
            rig.close();
        }
    }

    private ListRolloutsResponse list(ListRolloutsRequest.Builder request) {
        return rig.operator().listRollouts(request.build());
    }

    private static List<String> chains(ListRolloutsResponse response) {
        return response.getRolloutsList().stream().map(Rollout::getChainProfileId).toList();
    }

    @Test
    void theNewestRolloutComesFirst() {
        ListRolloutsResponse all = list(ListRolloutsRequest.newBuilder());

        assertThat(chains(all)).containsExactly("three", "two", "one");
        assertThat(all.getNextPageToken()).isEmpty();
        assertThat(all.getRollouts(0).getPendingNodes()).isEqualTo(NODES);
    }

    @Test
    void pagesFollowEachOtherAndTheLastHasNoToken() {
        ListRolloutsResponse first = list(ListRolloutsRequest.newBuilder().setPageSize(2));
        ListRolloutsResponse second =
                list(
                        ListRolloutsRequest.newBuilder()
                                .setPageSize(2)
                                .setPageToken(first.getNextPageToken()));

        assertThat(chains(first)).containsExactly("three", "two");
        assertThat(chains(second)).containsExactly("one");
        assertThat(second.getNextPageToken()).isEmpty();
    }

    @Test
    @DisplayName("A last page that is full has no token either, as the contract says")
    void aFullLastPageHasNoToken() {
        assertThat(list(ListRolloutsRequest.newBuilder().setPageSize(3)).getNextPageToken())
                .isEmpty();
    }

    @Test
    void rolloutsAreFilteredByChainAndStatus() {
        assertThat(chains(list(ListRolloutsRequest.newBuilder().setChainProfileId("two"))))
                .containsExactly("two");
        assertThat(chains(list(ListRolloutsRequest.newBuilder().setChainProfileId("four"))))
                .isEmpty();
        assertThat(
                        list(ListRolloutsRequest.newBuilder()
                                        .setStatus(RolloutStatus.ROLLOUT_STATUS_PENDING))
                                .getRolloutsCount())
                .isEqualTo(3);
        assertThat(
                        list(ListRolloutsRequest.newBuilder()
                                        .setStatus(RolloutStatus.ROLLOUT_STATUS_RUNNING))
                                .getRolloutsCount())
                .isZero();
    }

    @Test
    @DisplayName("S0-87: rollouts are found by strategy and by group")
    void rolloutsAreFilteredByStrategyAndGroup() {
        assertThat(
                        list(ListRolloutsRequest.newBuilder()
                                        .setStrategy(Strategy.STRATEGY_ROLLING))
                                .getRolloutsCount())
                .isEqualTo(3);
        assertThat(
                        list(ListRolloutsRequest.newBuilder()
                                        .setStrategy(Strategy.STRATEGY_ALL_AT_ONCE))
                                .getRolloutsCount())
                .isZero();
        assertThat(
                        list(ListRolloutsRequest.newBuilder()
                                        .setGroupId("00000000-0000-4000-8000-000000000000"))
                                .getRolloutsCount())
                .isZero();
    }

    @Test
    void aFilterThatIsMalformedIsNamed() {
        assertRefused(
                () -> list(ListRolloutsRequest.newBuilder().setStrategyValue(99)),
                RefusalCode.INVALID_FIELD,
                "strategy");
        assertRefused(
                () -> list(ListRolloutsRequest.newBuilder().setGroupId("one")),
                RefusalCode.INVALID_FIELD,
                "group_id");
        assertRefused(
                () -> list(ListRolloutsRequest.newBuilder().setStatusValue(99)),
                RefusalCode.INVALID_FIELD,
                "status");
        assertRefused(
                () -> list(ListRolloutsRequest.newBuilder().setPageSize(1_001)),
                RefusalCode.INVALID_FIELD,
                "page_size");
        assertRefused(
                () -> list(ListRolloutsRequest.newBuilder().setPageSize(UNSIGNED_MOST)),
                RefusalCode.INVALID_FIELD,
                "page_size");
        assertRefused(
                () ->
                        rig.operator()
                                .explainRollout(
                                        ExplainRolloutRequest.newBuilder()
                                                .setRolloutId(UUID.randomUUID().toString())
                                                .setLimit(1_001)
                                                .build()),
                RefusalCode.INVALID_FIELD,
                "limit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NOT A TOKEN", "nonsense", "1-1-1-1-1"})
    void namesAnUnknownToken(String token) {
        assertRefused(
                () -> list(ListRolloutsRequest.newBuilder().setPageToken(token)),
                RefusalCode.INVALID_FIELD,
                "page_token");
    }

    @Test
    void nodesComeInPagesByBatchAndId() {
        List<RolloutNode> read = new ArrayList<>();
        String token = "";
        int pages = 0;
        do {
            ListRolloutNodesResponse page = nodes(2, token);
            read.addAll(page.getNodesList());
            token = page.getNextPageToken();
            pages++;
        } while (!token.isEmpty() && pages < NODES);

        assertThat(pages).isEqualTo(3);
        assertThat(read).containsExactlyElementsOf(nodes(0, "").getNodesList());
        assertThat(read).extracting(RolloutNode::getBatchIndex).containsExactly(0, 0, 1, 1, 2);
        assertThat(read).extracting(RolloutNode::getNodeId).doesNotHaveDuplicates().hasSize(NODES);
        assertThat(read)
                .allSatisfy(
                        node -> {
                            assertThat(node.getPreviousVersion()).isEqualTo("v1");
                            assertThat(node.getPreviousChecksum()).isEqualTo(ApiFixture.OLD);
                        });
    }

    @Test
    void aPageOfNodesHasItsBounds() {
        assertRefused(() -> nodes(10_001, ""), RefusalCode.INVALID_FIELD, "page_size");
        assertThat(nodes(NODES, "").getNextPageToken()).isEmpty();
    }

    private ListRolloutNodesResponse nodes(int size, String token) {
        return rig.operator()
                .listRolloutNodes(
                        ListRolloutNodesRequest.newBuilder()
                                .setRolloutId(rollouts.getFirst().getId())
                                .setPageSize(size)
                                .setPageToken(token)
                                .build());
    }

    @Test
    void whyShowsTheWaitAndTheHistory() {
        ExplainRolloutResponse why =
                rig.operator()
                        .explainRollout(
                                ExplainRolloutRequest.newBuilder()
                                        .setRolloutId(rollouts.getFirst().getId())
                                        .build());

        assertThat(why.getRollout()).isEqualTo(rollouts.getFirst());
        assertThat(why.getCurrentList())
                .singleElement()
                .extracting(Reason::getCode, Reason::getSentence)
                .containsExactly("NOT_STARTED", "It waits to be started.");
        assertThat(why.getHistoryList())
                .singleElement()
                .satisfies(
                        created -> {
                            assertThat(created.getCode()).isEqualTo("CREATED");
                            assertThat(created.getSentence())
                                    .isEqualTo("rollout pending: 5 targets in 3 batches.");
                            assertThat(created.getActor()).isEqualTo("local");
                            assertThat(created.getSequence()).isPositive();
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "1-1-1-1-1", "00000000-0000-0000-0000-000000000000"})
    void thereIsNoRolloutOfAnUnknownId(String id) {
        assertEveryCallRefused(id, RefusalCode.ROLLOUT_NOT_FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "NOT AN ID", "../etc"})
    void anIdThatIsMalformedIsNamed(String id) {
        assertEveryCallRefused(id, RefusalCode.INVALID_FIELD);
    }

    private void assertEveryCallRefused(String id, RefusalCode code) {
        RolloutServiceBlockingStub endpoint = rig.operator();
        GetRolloutRequest get = GetRolloutRequest.newBuilder().setRolloutId(id).build();
        ListRolloutNodesRequest nodes =
                ListRolloutNodesRequest.newBuilder().setRolloutId(id).build();
        ExplainRolloutRequest why = ExplainRolloutRequest.newBuilder().setRolloutId(id).build();
        StartRolloutRequest start = StartRolloutRequest.newBuilder().setRolloutId(id).build();

        assertRefused(() -> endpoint.getRollout(get), code, "rollout_id");
        assertRefused(() -> endpoint.listRolloutNodes(nodes), code, "rollout_id");
        assertRefused(() -> endpoint.explainRollout(why), code, "rollout_id");
        assertRefused(() -> endpoint.startRollout(start), code, "rollout_id");
        assertThat(rig.database.count("SELECT count(*) FROM operator_request")).isZero();
    }

    @Test
    void aNodeIdThatIsMalformedIsNamed() {
        RetryNodeRequest retry =
                RetryNodeRequest.newBuilder()
                        .setRolloutId(UUID.randomUUID().toString())
                        .setNodeId("NOT AN ID")
                        .build();

        assertRefused(() -> rig.operator().retryNode(retry), RefusalCode.INVALID_FIELD, "node_id");
    }
}
