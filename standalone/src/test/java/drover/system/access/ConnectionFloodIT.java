package drover.system.access;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.Faults;
import drover.gateway.store.TestPostgres;
import drover.opsagent.identity.CertificateCredential;
import drover.opsagent.peers.NodeCredential;
import drover.system.fixture.Waits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * One machine dials the agents' door without end, by an address of loopback of its own: the door
 * that asks for certificates, with the limits that nobody set.
 */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its gateway first
@Faults(
        rule = "D-121 (connections that come too fast are ended before their handshake)",
        sample = "ConnectionRateAndCountLimiterTest.oneSourceGetsAtMostHalfOfTheRate")
class ConnectionFloodIT {
    private static final Duration ANSWER = Waits.LIMIT;
    private static final int CONNECTIONS = 3_000;
    private static final int OF_ONE = 150; // a second
    private static final int AT_ONCE = 3 * OF_ONE;

    @TempDir Path folder;

    private MtlsTestGateway testGateway;
    private final List<OpenAgentStream> streams = new ArrayList<>();
    private final List<Socket> flood = new ArrayList<>();

    @BeforeEach
    void openTheGateway() throws SQLException {
        testGateway =
                MtlsTestGateway.open(
                        TestPostgres.open().dataSource(), folder, "gateway", Duration.ofHours(24));
    }

    @AfterEach
    void closeIt() throws IOException {
        streams.forEach(OpenAgentStream::close);
        for (Socket socket : flood) {
            socket.close();
        }
        if (testGateway != null) {
            testGateway.close();
        }
    }

    private OpenAgentStream held(NodeCredential credential, long incarnation) {
        OpenAgentStream stream =
                OpenAgentStream.connect(testGateway.agentEndpoint(), credential, incarnation);
        streams.add(stream);
        assertThat(stream.answer()).succeedsWithin(ANSWER).asString().isEmpty();
        return stream;
    }

    @Test
    @DisplayName("I1, I4: who dials too fast is ended before the handshake, and others are served")
    void whoConnectsTooFastIsEndedBeforeTheHandshake() throws IOException {
        var _ =
                testGateway.enroll(
                        testGateway.machine("m1"), testGateway.token("berth-01", 1).getSecret());
        var _ =
                testGateway.enroll(
                        testGateway.machine("m2"), testGateway.token("berth-02", 1).getSecret());
        OpenAgentStream before =
                held(new CertificateCredential(MtlsTestGateway.file(testGateway.machine("m1"))), 1);
        long started = System.nanoTime();

        for (int connection = 0; connection < CONNECTIONS; connection++) {
            flood.add(connectedSocket());
        }

        assertThat(isEnded(flood.getLast())).isTrue();
        Duration took = Duration.ofNanos(System.nanoTime() - started);
        assertThat(CONNECTIONS - refused()) // which counts no handshake that took too long
                .as("got their handshake, of those that came within " + took)
                .isBetween(AT_ONCE, AT_ONCE + (int) (OF_ONE * (took.toSeconds() + 1)));
        OpenAgentStream amid =
                held(new CertificateCredential(MtlsTestGateway.file(testGateway.machine("m2"))), 1);
        assertThat(before.end()).isNotDone();
        assertThat(amid.end()).isNotDone();
    }

    /** Says nothing: so nothing but the door's pace ends it before its handshake is given up. */
    private Socket connectedSocket() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.2"), 0));
        socket.connect(
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), testGateway.gateway.agentPort()));
        return socket;
    }

    private static boolean isEnded(Socket socket) throws IOException {
        socket.setSoTimeout((int) Waits.LIMIT.toMillis());
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // ended without a farewell
        }
    }

    private int refused() {
        return testGateway
                .metrics
                .toPrometheusText()
                .lines()
                .filter(line -> line.startsWith("drover_gateway_dials_refused_total"))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }
}
