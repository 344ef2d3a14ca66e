package drover.system.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.Waits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What gets through when somebody is caught at a place, as a client and a server see it. */
class FaultProxyFaultPointTest {
    private static final int SOON = (int) Waits.LIMIT.toMillis();
    private static final int QUIET = 300; // in which nothing must come
    private static final byte[] COMMIT = message("COMMIT");
    private static final byte[] DONE = "COMMIT\0".getBytes(StandardCharsets.UTF_8);

    private ServerSocket server;
    private FaultProxy link;
    private Socket caller;
    private Socket called;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        link = FaultProxy.toPostgres(server::getLocalPort);
        caller = new Socket(InetAddress.getLoopbackAddress(), link.port());
        called = server.accept();
        caller.setSoTimeout(SOON);
        called.setSoTimeout(SOON);
        getsThrough(ByteBuffer.allocate(8).putInt(8).putInt(196_608).array());
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        server.close();
    }

    private static byte[] message(String sql) {
        byte[] body = (sql + "\0").getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + body.length)
                .put((byte) 'Q')
                .putInt(4 + body.length)
                .put(body)
                .array();
    }

    private void getsThrough(byte[] question) throws IOException {
        caller.getOutputStream().write(question);
        assertThat(called.getInputStream().readNBytes(question.length)).isEqualTo(question);
    }

    private static void isQuiet(Socket socket) throws IOException {
        socket.setSoTimeout(QUIET);
        assertThatThrownBy(() -> socket.getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(SOON);
    }

    private void assignsWork() throws IOException {
        getsThrough(message("BEGIN"));
        getsThrough(message("INSERT INTO node_attempt VALUES (1)"));
    }

    @Test
    void whoIsCaughtBeforeItsCommitHasNotSentIt() throws IOException {
        CompletableFuture<Void> reached = link.catchAt(LeaderFaultPoint.BEFORE_COMMIT);
        getsThrough(message("BEGIN"));
        getsThrough(COMMIT);
        assertThat(reached).as("of nothing").isNotDone();
        assignsWork();
        caller.getOutputStream().write(COMMIT);
        isQuiet(called);
        assertThat(reached).succeedsWithin(Waits.LIMIT);
        link.heal();
        assertThat(called.getInputStream().readNBytes(COMMIT.length)).isEqualTo(COMMIT);
    }

    @Test
    void bufferedDataIsLostWithItsSender() throws IOException {
        var _ = link.catchAt(LeaderFaultPoint.BEFORE_COMMIT);
        assignsWork();
        caller.getOutputStream().write(COMMIT);
        isQuiet(called);
        link.dropHeld();
        assertThat(called.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void leaderThatStopsAfterItsCommitReceivesNoResult() throws IOException {
        CompletableFuture<Void> reached = link.catchAt(LeaderFaultPoint.AFTER_COMMIT);
        assignsWork();
        getsThrough(COMMIT);
        assertThat(reached).as("not done yet").isNotDone();
        called.getOutputStream().write(DONE);
        isQuiet(caller);
        assertThat(reached).succeedsWithin(Waits.LIMIT);
    }

    @Test
    void leaderThatStopsWithItsEpochSendsNothingMore() throws IOException {
        CompletableFuture<Void> reached = link.catchAt(LeaderFaultPoint.LOADING);
        getsThrough(message("BEGIN"));
        getsThrough(message("UPDATE leader_epoch SET epoch = epoch + 1"));
        getsThrough(COMMIT);
        called.getOutputStream().write(DONE);
        assertThat(caller.getInputStream().readNBytes(DONE.length)).isEqualTo(DONE);
        assertThat(reached).succeedsWithin(Waits.LIMIT);
        caller.getOutputStream().write(message("SELECT 1"));
        isQuiet(called);
    }

    @Test
    void leaderThatStopsBeforeItSendsReceivesEverything() throws IOException {
        CompletableFuture<Void> reached = link.catchAt(LeaderFaultPoint.BEFORE_SEND);
        assignsWork();
        getsThrough(COMMIT);
        called.getOutputStream().write(DONE);
        assertThat(caller.getInputStream().readNBytes(DONE.length)).isEqualTo(DONE);
        assertThat(reached).succeedsWithin(Waits.LIMIT);
        getsThrough(message("SELECT 1"));
    }
}
