package drover.opsagent.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.opsagent.disk.LocalDisk;
import drover.opsagent.main.Waits;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its file first
class IdentityFileTest {
    @TempDir Path state;

    private IdentityFile file;

    @BeforeEach
    void open() {
        file = IdentityFile.in(state, new LocalDisk(), new Random(1));
    }

    private static NodeKeyAndCertificate identity(String node, long generation) {
        return new NodeKeyAndCertificate(node, generation, "key", "chain", "trust");
    }

    @Test
    void whatACertificateBroughtIsKeptWhenItIsLater() {
        NodeKeyAndCertificate first = identity("n1", 2);
        file.saveEnrolled(first);
        for (NodeKeyAndCertificate other :
                new NodeKeyAndCertificate[] {
                    identity("n1", 2), identity("n1", 1), identity("n2", 3)
                }) {
            assertThatThrownBy(() -> file.saveRenewed(first, other))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is not taken");
            assertThat(file.read()).contains(first);
        }
        file.saveRenewed(first, identity("n1", 3));
        assertThat(file.read()).contains(identity("n1", 3));
    }

    @Test
    void whatAJoinTokenBroughtIsKeptAlsoAfterARestoredDatabaseHasCountedLessFar() {
        file.saveEnrolled(identity("n1", 7));
        file.saveEnrolled(identity("n1", 2));
        assertThat(file.read()).contains(identity("n1", 2));
    }

    @Test
    void promptsOneByOne() throws InterruptedException {
        CountDownLatch requested = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        AtomicBoolean second = new AtomicBoolean();
        Thread one =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        file.withLock(
                                                () -> {
                                                    requested.countDown();
                                                    return awaited(answered);
                                                }));
        requested.await();
        Thread other = Thread.ofPlatform().start(() -> file.withLock(() -> set(second)));
        await().atMost(Waits.LIMIT).until(() -> other.getState() == Thread.State.WAITING);
        assertThat(second).isFalse();

        answered.countDown();
        one.join();
        other.join();
        assertThat(second).isTrue();
    }

    private static boolean set(AtomicBoolean flag) {
        flag.set(true);
        return true;
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
