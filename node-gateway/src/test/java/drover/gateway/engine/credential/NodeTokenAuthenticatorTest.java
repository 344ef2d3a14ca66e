package drover.gateway.engine.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import drover.gateway.session.NodeIdentity;
import drover.gateway.store.InMemoryNodeStore;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NodeTokenAuthenticatorTest {
    private static final NodeIdentity NODE =
            new NodeIdentity(
                    new NodeId("n1"),
                    new ChainProfileId("testchain"),
                    new NodeType("full"),
                    Map.of());

    private final AtomicBoolean unavailable = new AtomicBoolean();
    private final NodeStore store =
            failingWhile(unavailable, new InMemoryNodeStore(InstantSource.system()));
    private final NodeTokenAuthenticator book = new NodeTokenAuthenticator(store);

    @Test
    @DisplayName("H1: a token stands for its node, any other for nobody")
    void knowsWhoseTokenItIs() {
        store.register(NODE, Digest.of("secret"));

        assertThat(book.authenticate("secret")).isEqualTo(NODE);
        refuses(RefusalCode.NODE_CREDENTIAL_UNKNOWN, "Secret");
        refuses(RefusalCode.NODE_CREDENTIAL_UNKNOWN, Digest.of("secret").value());
    }

    @Test
    void anExchangedTokenIsUnknownAtOnce() {
        store.register(NODE, Digest.of("old"));
        assertThat(book.authenticate("old")).isEqualTo(NODE);

        store.register(NODE, Digest.of("new"));

        refuses(RefusalCode.NODE_CREDENTIAL_UNKNOWN, "old");
        assertThat(book.authenticate("new")).isEqualTo(NODE);
    }

    @Test
    void whileTheDatabaseIsUnavailableThoseWhoWereHereMayComeBack() {
        store.register(NODE, Digest.of("old"));
        assertThat(book.authenticate("old")).isEqualTo(NODE);
        store.register(NODE, Digest.of("new"));
        assertThat(book.authenticate("new")).isEqualTo(NODE);

        unavailable.set(true);

        assertThat(book.authenticate("new")).isEqualTo(NODE);
        refuses(RefusalCode.STORE_UNAVAILABLE, "old");
        refuses(RefusalCode.STORE_UNAVAILABLE, "never seen");
    }

    @Test
    @DisplayName("I5: more lookups at once than the bound are refused as overload, then served")
    void refusesMoreLookupsAtOnceThanItsBound() throws InterruptedException {
        store.register(NODE, Digest.of("secret"));
        CountDownLatch requesting = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        NodeStore slow = before(store, () -> holdUp(requesting, answer));
        NodeTokenAuthenticator narrow = new NodeTokenAuthenticator(slow, 1);
        Thread first = Thread.ofVirtual().start(() -> narrow.authenticate("secret"));
        requesting.await();

        refuses(narrow, RefusalCode.OVERLOADED, "secret");

        answer.countDown();
        first.join();
        assertThat(narrow.authenticate("secret")).isEqualTo(NODE);
    }

    private static void holdUp(CountDownLatch requesting, CountDownLatch answer) {
        requesting.countDown();
        try {
            answer.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void refuses(RefusalCode code, String token) {
        refuses(book, code, token);
    }

    private static void refuses(NodeTokenAuthenticator book, RefusalCode code, String token) {
        assertThatExceptionOfType(Refused.class)
                .isThrownBy(() -> book.authenticate(token))
                .satisfies(refused -> assertThat(refused.code()).isEqualTo(code))
                .withMessageNotContaining(token);
    }

    private static NodeStore failingWhile(AtomicBoolean unavailable, NodeStore store) {
        return before(
                store,
                () -> {
                    if (unavailable.get()) {
                        throw new StoreUnavailable("answer", new IllegalStateException());
                    }
                });
    }

    /** The same store, where every question first runs this. */
    private static NodeStore before(NodeStore store, Runnable first) {
        return (NodeStore)
                Proxy.newProxyInstance(
                        NodeStore.class.getClassLoader(),
                        new Class<?>[] {NodeStore.class},
                        (_, method, arguments) -> {
                            first.run();
                            try {
                                return method.invoke(store, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
