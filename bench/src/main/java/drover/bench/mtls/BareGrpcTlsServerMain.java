package drover.bench.mtls;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcServer;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import drover.trust.identity.PeerRule;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A gRPC server that keeps streams over TLS open and does nothing with them. */
public final class BareGrpcTlsServerMain {
    static final String STREAMS = "drover_bench_streams";

    private static final List<SettingDefinition> SETTINGS =
            List.of(
                    SettingDefinition.required("listen", "HOST:PORT", "Where clients dial."),
                    SettingDefinition.required(
                            "tls", "DIR", "What it shows, and whom it believes."),
                    MetricsAndReadinessServer.addressSetting(MetricsAndReadinessServer.OFF));

    private BareGrpcTlsServerMain() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        Settings settings = Settings.read("bare", SETTINGS, arguments, Map.of());
        AtomicInteger open = new AtomicInteger();
        Metrics metrics = Metrics.open();
        var _ =
                metrics.registerGauge(
                        MetricDefinition.gauge(STREAMS, "Open."),
                        reading -> reading.record(open.get()));
        MetricsAndReadinessServer.open(
                settings.get(MetricsAndReadinessServer.FLAG),
                metrics::toPrometheusText,
                List::of,
                List::of);
        ReloadingIdentity identity =
                ReloadingIdentity.open(
                        TlsFiles.in(Path.of(settings.get("tls"))),
                        ReloadingIdentity.DEFAULT_RELOAD_INTERVAL);
        GrpcServer.builder()
                .addService(new OpenStreamCountService(open))
                .credentials(
                        TlsCredentials.serverCredentials(
                                identity, PeerRule.ofNodes(BenchCa.DOMAIN)))
                .listen(Address.parse(settings.get("listen")));
        new CountDownLatch(1).await();
    }

    /** Counts them. */
    private static final class OpenStreamCountService
            extends AgentServiceGrpc.AgentServiceImplBase {
        private final AtomicInteger open;

        OpenStreamCountService(AtomicInteger open) {
            this.open = open;
        }

        @Override
        public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> toAgent) {
            return new StreamObserver<>() {
                @Override
                public void onNext(ConnectRequest message) {
                    open.incrementAndGet(); // clients say hello and no more
                }

                @Override
                public void onError(Throwable failure) {
                    open.decrementAndGet();
                }

                @Override
                public void onCompleted() {
                    open.decrementAndGet();
                }
            };
        }
    }
}
