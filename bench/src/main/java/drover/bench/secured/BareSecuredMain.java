package drover.bench.secured;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcHost;
import drover.kit.start.Setting;
import drover.kit.start.Settings;
import drover.kit.telemetry.Metric;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsDoor;
import drover.kit.tls.LiveIdentity;
import drover.kit.tls.MeshTls;
import drover.kit.tls.TlsFiles;
import drover.model.identity.PeerRule;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A gRPC server that keeps streams over TLS open and does nothing with them. */
public final class BareSecuredMain {
    static final String STREAMS = "drover_bench_streams";

    private static final List<Setting> SETTINGS =
            List.of(
                    Setting.needed("listen", "HOST:PORT", "Where clients dial."),
                    Setting.needed("tls", "DIR", "What it shows, and whom it believes."),
                    MetricsDoor.setting(MetricsDoor.OFF));

    private BareSecuredMain() {}

    /** Runs until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        Settings settings = Settings.read("bare", SETTINGS, arguments, Map.of());
        AtomicInteger open = new AtomicInteger();
        Metrics metrics = Metrics.open();
        var _ = metrics.gauge(Metric.gauge(STREAMS, "Open."), reading -> reading.is(open.get()));
        MetricsDoor.open(settings.get(MetricsDoor.FLAG), metrics::text, List::of, List::of);
        LiveIdentity identity =
                LiveIdentity.open(
                        TlsFiles.in(Path.of(settings.get("tls"))), LiveIdentity.USUAL_LOOK);
        GrpcHost.plan()
                .serve(new Streams(open))
                .securedBy(MeshTls.door(identity, PeerRule.ofNodes(Identities.DOMAIN)))
                .listen(Address.parse(settings.get("listen")));
        new CountDownLatch(1).await();
    }

    /** Counts them. */
    private static final class Streams extends AgentServiceGrpc.AgentServiceImplBase {
        private final AtomicInteger open;

        Streams(AtomicInteger open) {
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
