package drover.bench.mtls;

import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dials a door again and again, and hangs up as soon as the door has believed its certificate: each
 * a whole handshake of TLS 1.3, none is resumed.
 */
public final class HandshakeClientMain {
    static final String DONE = "drover_bench_handshakes";

    private static final Logger LOG = LoggerFactory.getLogger(HandshakeClientMain.class);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private static final List<SettingDefinition> SETTINGS =
            List.of(
                    SettingDefinition.required("server", "HOST:PORT", "Where it dials."),
                    SettingDefinition.required(
                            "tls", "DIR", "What it shows, and whom it believes."),
                    SettingDefinition.required("at-once", "N", "Handshakes at a time."),
                    MetricsAndReadinessServer.addressSetting(MetricsAndReadinessServer.OFF));

    private HandshakeClientMain() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        Settings settings = Settings.read("handshakes", SETTINGS, arguments, Map.of());
        AtomicInteger done = new AtomicInteger();
        Metrics metrics = Metrics.open();
        var _ =
                metrics.registerGauge(
                        MetricDefinition.gauge(DONE, "Done."),
                        reading -> reading.record(done.get()));
        MetricsAndReadinessServer.open(
                settings.get(MetricsAndReadinessServer.FLAG),
                metrics::toPrometheusText,
                List::of,
                List::of);
        ReloadingIdentity identity =
                ReloadingIdentity.open(
                        TlsFiles.in(Path.of(settings.get("tls"))),
                        ReloadingIdentity.DEFAULT_RELOAD_INTERVAL);
        Address.Tcp server = (Address.Tcp) Address.parse(settings.get("server"));
        for (int dialler = 0; dialler < settings.positiveInt("at-once"); dialler++) {
            Thread.ofPlatform().start(() -> repeatHandshakes(identity, server, done));
        }
        new CountDownLatch(1).await();
    }

    private static void repeatHandshakes(
            ReloadingIdentity identity, Address.Tcp server, AtomicInteger done) {
        try {
            while (true) {
                handshake(identity, server);
                done.incrementAndGet();
            }
        } catch (IOException e) {
            LOG.error("A handshake failed, and its dialler gives up", e);
        }
    }

    private static void handshake(ReloadingIdentity identity, Address.Tcp server)
            throws IOException {
        SSLContext context =
                TlsCredentials.externalClientContext(identity); // that knows no session to resume
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket()) {
            socket.setSoTimeout((int) ANSWER.toMillis());
            socket.connect(new InetSocketAddress(server.host(), server.port()));
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            if (socket.getInputStream().read()
                    < 0) { // the door speaks when it believes, not before
                throw new IOException("The door hung up.");
            }
        }
    }
}
