package drover.gateway.engine.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import drover.gateway.Waits;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.NodeRevocationCounts;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.EnrollmentStore.CertificateIssuer;
import drover.gateway.store.InMemoryNodeStore;
import drover.gateway.store.NodeCertificateStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RevocationMonitorTest {
    private static final Digest TOKEN = Digest.of("token");
    private static final ThreadLocal<Long> READ = ThreadLocal.withInitial(() -> 0L); // of the clock

    private final InMemoryNodeStore nodes = new InMemoryNodeStore(Instant::now);
    private final AtomicBoolean unavailable = new AtomicBoolean();
    private final CountingStore store = new CountingStore();
    private final NodeTokenAuthenticator tokens = new NodeTokenAuthenticator(nodes);
    private final RevocationMonitor watch =
            new RevocationMonitor(
                    store,
                    new SessionTable(() -> 0),
                    tokens,
                    new CopyDetectingCertificateAuthenticator(store),
                    RevocationMonitorTest::readClock);

    private static long readClock() {
        long now = System.nanoTime();
        READ.set(now);
        return now;
    }

    /** Counts the looks, and how many there are at once. */
    private final class CountingStore implements NodeCertificateStore {
        private final List<Long> started = new ArrayList<>();
        private final AtomicInteger atOnce = new AtomicInteger();
        private volatile int most;
        private Set<StreamCredential> over = Set.of();

        @Override
        public Set<StreamCredential> findRevokedCredentials(
                Collection<StreamCredential.NodeTokenDigest> shown) {
            most = Math.max(most, atOnce.incrementAndGet());
            synchronized (started) {
                started.add(
                        READ.get()); // as the watch has it: a busy machine may have paused since
            }
            LockSupport.parkNanos(1_000_000); // as a statement takes a moment
            atOnce.decrementAndGet();
            if (unavailable.get()) {
                throw new StoreUnavailable("look", new IllegalStateException("away"));
            }
            return over;
        }

        @Override
        public List<NodeId> listLockedNodes() {
            return List.of();
        }

        @Override
        public Optional<PresentedIdentity> recordPresentedAndLockCopied(String serial) {
            return Optional.empty();
        }

        @Override
        public Optional<IssuedCertificate> renew(
                String serial, Digest key, CertificateIssuer issuer) {
            return Optional.empty();
        }

        @Override
        public Optional<NodeRevocationCounts> revokeNode(NodeId node, String by) {
            return Optional.empty();
        }
    }

    @Test
    @DisplayName("I5 a thousand that are kept out share their looks at the database")
    void callerDuringAPollWaitsForTheNext() throws Exception {
        ConcurrentLinkedQueue<Long> lateBy = new ConcurrentLinkedQueue<>();
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                done.add(
                        callers.submit(
                                () -> {
                                    long called = System.nanoTime();
                                    watch.awaitFreshCheck();
                                    synchronized (store.started) {
                                        lateBy.add(store.started.getLast() - called);
                                    }
                                }));
            }
            for (Future<?> each : done) {
                each.get(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS);
            }
        }
        assertThat(lateBy).as("each has a look that began after it asked").allMatch(it -> it >= 0);
        assertThat(store.most).isEqualTo(1);
        assertThat(store.started).hasSizeLessThan(100);
        for (int i = 1; i < store.started.size(); i++) {
            assertThat(store.started.get(i) - store.started.get(i - 1))
                    .isGreaterThanOrEqualTo(250_000_000); // a quarter of a second
        }
    }

    @Test
    void anOutageIsNotWaitedForOneByOne() {
        unavailable.set(true);
        watch.awaitFreshCheck();
        assertThat(store.started).hasSize(1);
        assertThatThrownBy(watch::applyRevocations).isInstanceOf(StoreUnavailable.class);
    }

    @Test
    @DisplayName("H3 what was ended is remembered for no outage")
    void whatWasEndedIsForgotten() {
        NodeIdentity node =
                new NodeIdentity(
                        new NodeId("n1"),
                        new ChainProfileId("harbour"),
                        new NodeType("edge"),
                        Map.of());
        var _ = nodes.register(node, TOKEN);
        assertThat(tokens.authenticate("token")).isEqualTo(node);
        List<Refused> ends = new ArrayList<>();
        watch.openStreams().add(new StreamCredential.NodeTokenDigest(TOKEN), stream("n1", ends));
        watch.applyRevocations();
        assertThat(tokens.cachedTokens())
                .containsExactly(new StreamCredential.NodeTokenDigest(TOKEN));

        store.over =
                Set.of(
                        new StreamCredential.NodeTokenDigest(TOKEN),
                        new StreamCredential.Certificate("0a"));
        watch.applyRevocations();

        assertThat(tokens.cachedTokens()).isEmpty();
        assertThat(ends).hasSize(1);
    }

    private static OpenAgentStreams.OpenStream stream(String node, List<Refused> ends) {
        return new OpenAgentStreams.OpenStream() {
            @Override
            public NodeId node() {
                return new NodeId(node);
            }

            @Override
            public void end(Refused reason) {
                ends.add(reason);
            }
        };
    }

    @Test
    @DisplayName("H3 the log says of each stream whose it was and what it began with")
    void reportsTheNodesOfEndedStreams() {
        List<Refused> ends = new ArrayList<>();
        watch.openStreams().add(new StreamCredential.Certificate("0a"), stream("n1", ends));
        watch.openStreams().add(new StreamCredential.NodeTokenDigest(TOKEN), stream("n2", ends));
        watch.openStreams().add(new StreamCredential.Certificate("0b"), stream("n3", ends));
        store.over =
                Set.of(
                        new StreamCredential.Certificate("0a"),
                        new StreamCredential.NodeTokenDigest(TOKEN));

        assertThat(logged(watch::applyRevocations))
                .containsExactlyInAnyOrder(
                        "A stream is ended because what it began with was nodeId=n1"
                                + " proof=certificate",
                        "A stream is ended because what it began with was nodeId=n2 proof=token");
        assertThat(ends).hasSize(2);
    }

    private static List<String> logged(Runnable doing) {
        Logger log = (Logger) LoggerFactory.getLogger(RevocationMonitor.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Level level = log.getLevel();
        log.addAppender(lines);
        log.setLevel(Level.INFO);
        try {
            doing.run();
        } finally {
            log.setLevel(level);
            log.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
