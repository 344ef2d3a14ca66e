package drover.system.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.Waits;
import drover.system.fault.Fault.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
    private static final int SOON = (int) Waits.LIMIT.toMillis();
    private static final int QUIET = 300; // in which nothing must come

    private ServerSocket server;
    private FaultProxy link;
    private Socket caller;
    private Socket called;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        link = FaultProxy.open(server::getLocalPort);
        openConnection();
    }

    private void openConnection() throws IOException {
        caller = new Socket(InetAddress.getLoopbackAddress(), link.port());
        called = server.accept();
        caller.setSoTimeout(SOON);
        called.setSoTimeout(SOON);
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        server.close();
    }

    private void expectRequest(int what) throws IOException {
        caller.getOutputStream().write(what);
    }

    private void answers(int what) throws IOException {
        called.getOutputStream().write(what);
    }

    private static void isQuiet(Socket socket) throws IOException {
        socket.setSoTimeout(QUIET);
        assertThatThrownBy(() -> socket.getInputStream().read())
                .isInstanceOf(SocketTimeoutException.class);
        socket.setSoTimeout(SOON);
    }

    @Test
    void whatIsSentArrives() throws IOException {
        expectRequest(1);
        answers(2);
        assertThat(called.getInputStream().read()).isEqualTo(1);
        assertThat(caller.getInputStream().read()).isEqualTo(2);
        caller.close();
        assertThat(called.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void cutConnectionEndsOnBothSidesAndReconnectsOnceHealed() throws IOException {
        link.cut();
        assertThat(called.getInputStream().read()).isEqualTo(-1);
        assertThat(caller.getInputStream().read()).isEqualTo(-1);
        Socket early = new Socket(InetAddress.getLoopbackAddress(), link.port());
        early.setSoTimeout(SOON);
        assertThat(early.getInputStream().read()).isEqualTo(-1);
        link.heal();
        openConnection();
        expectRequest(3);
        assertThat(called.getInputStream().read()).isEqualTo(3);
    }

    @Test
    void whatIsHeldInOneDirectionArrivesOnceHealedAndTheOtherDirectionAtOnce() throws IOException {
        link.hold(Direction.ANSWERS);
        expectRequest(1);
        answers(2);
        assertThat(called.getInputStream().read()).isEqualTo(1);
        isQuiet(caller);
        link.heal();
        assertThat(caller.getInputStream().read()).isEqualTo(2);
    }

    @Test
    void lossInOneDirectionIsPermanentAndFoundByANewConnection() throws IOException {
        link.lose(Direction.QUESTIONS);
        expectRequest(1);
        answers(2);
        assertThat(caller.getInputStream().read()).isEqualTo(2);
        isQuiet(called);
        link.heal();
        expectRequest(3);
        isQuiet(called);
        caller.close();
        isQuiet(called); // of the end it hears as little
        openConnection();
        expectRequest(4);
        assertThat(called.getInputStream().read()).isEqualTo(4);
    }
}
