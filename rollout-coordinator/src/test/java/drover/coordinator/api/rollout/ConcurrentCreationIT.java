package drover.coordinator.api.rollout;

import static drover.coordinator.api.ApiFixture.byHand;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.api.ApiFixture;
import drover.kit.grpc.RefusalParser;
import drover.rollout.v1.CreateRolloutRequest;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Creations that come at the same moment, as from a pipeline that tries again too early. */
class ConcurrentCreationIT {
    private static final int CALLERS = 8;
    @AutoClose private ApiFixture rig;

    @BeforeEach
    void openServer() {
        rig = new ApiFixture();
        rig.chain("demo", 5);
        rig.chain("other", 5);
    }

    @RepeatedTest(3)
    @DisplayName("Of calls at once with one key one creates, and all hear of the same rollout")
    void parallelCallsWithOneKeyReturnTheSameRollout() throws Exception {
        CreateRolloutRequest request = byHand("demo").build();

        List<String> received =
                atOnce(IntStream.range(0, CALLERS).mapToObj(i -> creation(request)).toList());

        assertThat(rig.database.texts("SELECT id::text FROM rollout"))
                .singleElement()
                .satisfies(only -> assertThat(received).hasSize(CALLERS).containsOnly(only));
    }

    @RepeatedTest(3)
    @DisplayName("One key for two requests at once: one is created, the other is told of the key")
    void oneKeyForTwoRequestsAtOnceIsRefusedToTheSecond() throws Exception {
        List<String> received =
                atOnce(
                        List.of(
                                creation(byHand("demo").build()),
                                creation(byHand("other").build())));

        List<String> created = rig.database.texts("SELECT id::text FROM rollout");
        assertThat(created).hasSize(1);
        assertThat(received)
                .containsExactlyInAnyOrder(created.getFirst(), "IDEMPOTENCY_KEY_REUSED");
        assertThat(rig.database.count("SELECT count(*) FROM chain_claim")).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "A2: without a key, calls at once for one chain are two rollouts, so one is refused")
    void callsAtOnceWithoutAKeyCompeteForTheChain() throws Exception {
        Callable<String> keyless = () -> rig.create(byHand("demo")).getId();

        List<String> received = atOnce(List.of(keyless, keyless));

        assertThat(rig.database.texts("SELECT id::text FROM rollout"))
                .singleElement()
                .satisfies(
                        only -> assertThat(received).containsExactlyInAnyOrder(only, "CHAIN_BUSY"));
    }

    private Callable<String> creation(CreateRolloutRequest request) {
        return () -> rig.operatorWithKey("once").createRollout(request).getRollout().getId();
    }

    /** What each call heard: the id of its rollout, or the code of its refusal. */
    private static List<String> atOnce(List<Callable<String>> calls) throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> received = new ArrayList<>();
            for (Callable<String> call : calls) {
                received.add(
                        callers.submit(
                                () -> {
                                    go.await();
                                    return idOrCode(call);
                                }));
            }
            go.countDown();
            List<String> all = new ArrayList<>();
            for (Future<String> one : received) {
                all.add(one.get());
            }
            return all;
        }
    }

    private static String idOrCode(Callable<String> call) throws Exception {
        try {
            return call.call();
        } catch (StatusRuntimeException e) {
            return RefusalParser.from(e).orElseThrow(() -> e).code().name();
        }
    }
}
