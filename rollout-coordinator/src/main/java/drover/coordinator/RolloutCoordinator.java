package drover.coordinator;

import drover.coordinator.api.ApiKeyDoor;
import drover.coordinator.api.AuditDoor;
import drover.coordinator.api.Callers;
import drover.coordinator.api.EventDoor;
import drover.coordinator.api.GroupReading;
import drover.coordinator.api.IncidentDoor;
import drover.coordinator.api.JoinTokenDoor;
import drover.coordinator.api.ManifestDoor;
import drover.coordinator.api.NodeDoor;
import drover.coordinator.api.NodeReading;
import drover.coordinator.api.RolloutDoor;
import drover.coordinator.api.RolloutGroupDoor;
import drover.coordinator.api.RolloutReading;
import drover.coordinator.api.WorldErrors;
import drover.coordinator.election.LeaderElector;
import drover.coordinator.engine.AuditWalk;
import drover.coordinator.engine.CachedProblems;
import drover.coordinator.engine.ClockLoop;
import drover.coordinator.engine.DatabaseClock;
import drover.coordinator.engine.DeadLetterRequests;
import drover.coordinator.engine.EventLoop;
import drover.coordinator.engine.EventStreams;
import drover.coordinator.engine.GroupDesk;
import drover.coordinator.engine.IncidentDesk;
import drover.coordinator.engine.JoinTokenAudit;
import drover.coordinator.engine.Leadership;
import drover.coordinator.engine.Neighbours;
import drover.coordinator.engine.NodeRequestDesk;
import drover.coordinator.engine.PreflightDesk;
import drover.coordinator.engine.RequestDesk;
import drover.coordinator.engine.RetentionLoop;
import drover.coordinator.engine.RolloutCreation;
import drover.coordinator.engine.RolloutGroupCreation;
import drover.coordinator.engine.RolloutMetrics;
import drover.coordinator.engine.RolloutPreview;
import drover.coordinator.engine.SpanLoop;
import drover.coordinator.engine.UnseenFleet;
import drover.coordinator.peers.CommandSigner;
import drover.coordinator.peers.GrpcDirectoryLink;
import drover.coordinator.peers.GrpcGatewayLink;
import drover.coordinator.peers.GrpcHealthLink;
import drover.coordinator.peers.GrpcManifestLink;
import drover.coordinator.peers.HealthLink;
import drover.coordinator.peers.JoinTokenProtos;
import drover.coordinator.peers.ManifestLink;
import drover.coordinator.peers.SeveralManifests;
import drover.coordinator.plan.FleetView;
import drover.coordinator.sink.EventSink;
import drover.coordinator.store.Database;
import drover.coordinator.store.PostgresAttentionViews;
import drover.coordinator.store.PostgresAuditViews;
import drover.coordinator.store.PostgresCreationStore;
import drover.coordinator.store.PostgresDeadLetters;
import drover.coordinator.store.PostgresEventStore;
import drover.coordinator.store.PostgresGatewayRegistry;
import drover.coordinator.store.PostgresGroupStore;
import drover.coordinator.store.PostgresGroupViews;
import drover.coordinator.store.PostgresIncidentStore;
import drover.coordinator.store.PostgresJoinTokenHistory;
import drover.coordinator.store.PostgresKeyStore;
import drover.coordinator.store.PostgresLeaderStore;
import drover.coordinator.store.PostgresNodeBars;
import drover.coordinator.store.PostgresNodeRequestStore;
import drover.coordinator.store.PostgresPastMoves;
import drover.coordinator.store.PostgresPlanViews;
import drover.coordinator.store.PostgresPreflightStore;
import drover.coordinator.store.PostgresRequestStore;
import drover.coordinator.store.PostgresRetentionStore;
import drover.coordinator.store.PostgresRolloutViews;
import drover.coordinator.store.PostgresSpanStore;
import drover.coordinator.store.StoreUnavailable;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.Channels;
import drover.kit.grpc.ConnectionRateLimiter;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.UnknownFieldsInterceptor;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.rest.HttpServer;
import drover.kit.rest.RestTranscoder;
import drover.kit.rest.openapi.OpenApi;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.TraceExporter;
import drover.trust.identity.ServiceName;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The assembled coordinator: doors, creation, and leadership over one database. */
public final class RolloutCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RolloutCoordinator.class);

    /** Its name in traces unless {@code OTEL_SERVICE_NAME} says another. */
    public static final String SERVICE = "drover-rollout-coordinator";

    /**
     * Two for each of the database's 16 connections, at either door; more would only wait there,
     * and the leader's loops with them. The others come back.
     */
    private static final int MOST_CALLS = 32;

    private static final Duration LONGEST_CALL = Duration.ofSeconds(30); // REST asks for 10 s

    private static final int MOST_STREAMS = 256; // of events, for callers with a key

    private final RolloutCoordinatorConfig config;
    private final CoordinatorTls tls;
    private final CertificateExpiryMonitor certificates;
    private final Database database;
    private final PostgresLeaderStore leaderStore;
    private final PostgresEventStore events;
    private final EventStreams streams;
    private final RolloutMetrics metrics;
    private final Leadership leadership;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private GrpcServer operators;
    private HttpServer http;

    /**
     * The outermost parts, which differ between one process and several machines.
     *
     * @param spans takes the traces of rollouts; closed with the coordinator
     * @param metrics of the process, which its owner shows and closes
     * @param sinks who outside is told of events; closed with the coordinator
     * @param tls what it proves itself with, which stays its owner's to close
     */
    public record Parts(
            DataSource dataSource,
            LeaderElector elector,
            TraceExporter spans,
            Metrics metrics,
            List<EventSink> sinks,
            CoordinatorTls tls) {
        public Parts {
            sinks = List.copyOf(sinks);
        }

        /** With plain connections. */
        public Parts(
                DataSource dataSource,
                LeaderElector elector,
                TraceExporter spans,
                Metrics metrics,
                List<EventSink> sinks) {
            this(dataSource, elector, spans, metrics, sinks, CoordinatorTls.plain());
        }

        /** With metrics that nobody looks at, and nobody outside who is told of events. */
        public Parts(DataSource dataSource, LeaderElector elector, TraceExporter spans) {
            this(dataSource, elector, spans, Metrics.open(), List.of());
        }

        /** Without traces. */
        public Parts(DataSource dataSource, LeaderElector elector) {
            this(dataSource, elector, TraceExporter.disabled());
        }
    }

    /** Brings the schema up to date, opens the doors and campaigns. */
    public static RolloutCoordinator start(RolloutCoordinatorConfig config, Parts parts) {
        return new RolloutCoordinator(config, parts);
    }

    private RolloutCoordinator(RolloutCoordinatorConfig config, Parts outer) {
        this.config = config;
        this.tls = outer.tls();
        this.certificates = tls.watch();
        this.database = Database.open(outer.dataSource());
        this.leaderStore = new PostgresLeaderStore(database);
        this.events = new PostgresEventStore(database);
        this.streams = new EventStreams(events, System::nanoTime);
        DatabaseClock clock = new DatabaseClock(leaderStore, System::nanoTime);
        PostgresGatewayRegistry registry = new PostgresGatewayRegistry(database);
        this.metrics =
                new RolloutMetrics(
                        outer.metrics(), new PostgresPastMoves(database), System::nanoTime);
        this.leadership =
                new Leadership(
                        config.replicaId(),
                        outer.elector(),
                        new Neighbours(
                                leaderStore,
                                registry,
                                new PostgresNodeBars(database),
                                GrpcGatewayLink.signing(
                                        tls.edges().channelsTo(ServiceName.GATEWAY), signer(config, clock)),
                                evaluators(config.healthEvaluators()),
                                config.timings(),
                                new SpanLoop.Ends(new PostgresSpanStore(database), outer.spans()),
                                metrics,
                                new EventLoop.Ends(
                                        events,
                                        events,
                                        outer.sinks(),
                                        new PostgresAttentionViews(database)),
                                new RetentionLoop.Ends(
                                        new PostgresRetentionStore(database), config.keep())),
                        database);
        parts.push(outer.spans());
        parts.push(certificates.register(outer.metrics())::run);
        parts.push(metrics);
        outer.sinks().forEach(parts::push);
        try {
            parts.push(ClockLoop.start(clock));
            Entrance entrance =
                    Entrance.open(config.access(), new PostgresKeyStore(database), clock::now);
            this.operators = openOperatorsDoor(registry, clock, entrance);
            this.http = openHttp(entrance);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        metrics.leads(leadership::leads);
        leadership.start();
        operators.ready(true);
    }

    private EventDoor eventService() {
        PostgresDeadLetters letters = new PostgresDeadLetters(database);
        return new EventDoor(streams, events, letters, new DeadLetterRequests(letters));
    }

    private static CommandSigner signer(RolloutCoordinatorConfig config, DatabaseClock clock) {
        return config.commandKey()
                .map(
                        key -> {
                            LOG.info("Commands are signed keyId={}", key.id());
                            return CommandSigner.with(key, clock::now);
                        })
                .orElse(CommandSigner.NONE);
    }

    private GrpcServer openOperatorsDoor(
            PostgresGatewayRegistry registry, DatabaseClock clock, Entrance entrance) {
        GrpcServer.Builder plan = tls.secure(doors(registry, clock, entrance).withReflection());
        // REST goes through the same doors and interceptors, inside this process.
        parts.push(doors(registry, clock, entrance).listen(restDoor()));
        GrpcServer host =
                plan.limited(config.limits(), limiter("operators-grpc"))
                        .listen(config.operatorsDoor());
        parts.push(host);
        return host;
    }

    /** One for each of the two hosts; they record each entry once. */
    private JoinTokenAudit tokenAudit(GrpcDirectoryLink directory) {
        JoinTokenAudit audit =
                new JoinTokenAudit(
                        new PostgresJoinTokenHistory(database),
                        () -> directory.joinTokens().stream().map(JoinTokenProtos::facts).toList());
        parts.push(audit.start());
        return audit;
    }

    private ConnectionRateLimiter limiter(String endpoint) {
        return config.limits().limiter(endpoint, metrics::connectionRejected);
    }

    private Address restDoor() {
        return new Address.InProcess(
                "coordinator-" + config.replicaId() + "-" + System.identityHashCode(this));
    }

    private GrpcServer.Builder doors(
            PostgresGatewayRegistry registry, DatabaseClock clock, Entrance entrance) {
        Map<Address, ManagedChannel> manifests = manifestChannels();
        GrpcDirectoryLink directory =
                new GrpcDirectoryLink(registry, tls.edges().channelsTo(ServiceName.GATEWAY));
        parts.push(directory);
        PostgresRolloutViews views = new PostgresRolloutViews(database);
        ManifestLink manifestLink = SeveralManifests.of(links(manifests));
        PostgresPlanViews facts = new PostgresPlanViews(database);
        RolloutCreation creation =
                new RolloutCreation(
                        manifestLink,
                        directory,
                        new PostgresCreationStore(database),
                        clock::now,
                        facts);
        RolloutPreview preview =
                new RolloutPreview(creation, manifestLink, directory, facts, clock::now);
        Supplier<FleetView> fleet = () -> leadership.view().orElseGet(UnseenFleet::new);
        PostgresIncidentStore incidents = new PostgresIncidentStore(database);
        RolloutReading reading = new RolloutReading(views, fleet, preview, incidents);
        PostgresGroupStore groups = new PostgresGroupStore(database);
        NodeRequestDesk nodeDesk = new NodeRequestDesk(new PostgresNodeRequestStore(database));
        return GrpcServer.builder()
                .accessControl(entrance.gate())
                .callLimits(MOST_CALLS, LONGEST_CALL)
                .streams(MOST_STREAMS)
                .intercept(new Callers())
                .intercept(new WorldErrors())
                .intercept(new UnknownFieldsInterceptor())
                .serve(
                        new RolloutDoor(
                                creation,
                                new RequestDesk(new PostgresRequestStore(database)),
                                reading,
                                new PreflightDesk(new PostgresPreflightStore(database))))
                .serve(
                        new RolloutGroupDoor(
                                new RolloutGroupCreation(creation, groups, clock::now),
                                new GroupDesk(groups),
                                new GroupReading(new PostgresGroupViews(database), reading)))
                .serve(
                        new NodeDoor(
                                directory,
                                new NodeReading(
                                        views, facts, fleet, clock::now, nodeDesk, incidents),
                                nodeDesk))
                .serve(eventService())
                .serve(new IncidentDoor(incidents, new IncidentDesk(incidents)))
                .serve(new ApiKeyDoor(entrance.keys()))
                .serve(new JoinTokenDoor(directory, tokenAudit(directory)))
                .serve(
                        new AuditDoor(
                                new AuditWalk(new PostgresAuditViews(database), System::nanoTime)))
                .serve(new ManifestDoor(List.copyOf(manifests.values())));
    }

    private List<HealthLink.Dialer> evaluators(List<Address> addresses) {
        ChannelFactory dial = tls.edges().channelsTo(ServiceName.HEALTH);
        return addresses.stream()
                .<HealthLink.Dialer>map(
                        address -> events -> GrpcHealthLink.open(dial.open(address), events))
                .toList();
    }

    /** In the order of the settings. */
    private Map<Address, ManagedChannel> manifestChannels() {
        ChannelFactory dial = tls.edges().channelsTo(ServiceName.MANIFEST);
        Map<Address, ManagedChannel> channels = new LinkedHashMap<>();
        for (Address address : config.manifestServices()) {
            ManagedChannel channel = dial.open(address);
            channels.put(address, channel);
            parts.push(channel::shutdownNow);
        }
        return channels;
    }

    private static Map<String, ManifestLink> links(Map<Address, ManagedChannel> channels) {
        Map<String, ManifestLink> links = new LinkedHashMap<>();
        channels.forEach(
                (address, channel) -> links.put(address.toString(), new GrpcManifestLink(channel)));
        return links;
    }

    private HttpServer openHttp(Entrance entrance) {
        ManagedChannel channel = Channels.open(restDoor());
        parts.push(channel::shutdownNow);
        HttpServer.Builder plan = tls.secure(HttpServer.builder(), limiter("operators-rest"));
        if (config.access().insecure()) {
            plan.sameSite(tls::operatorNames);
        }
        HttpServer host =
                plan.rest(RestTranscoder.of(channel, OperatorsApi.SERVICES).accessControl(entrance.gate()))
                        .page(OpenApi.PATH, "application/json", OperatorsApi::document)
                        .readyWhen(
                                new CachedProblems(this::problems, System::nanoTime),
                                new CachedProblems(this::notices, System::nanoTime))
                        .listen(config.http());
        parts.push(host);
        return host;
    }

    /** What keeps this replica from being ready; empty when it is. */
    public List<String> problems() {
        List<String> problems = new ArrayList<>();
        try {
            leaderStore.now();
        } catch (StoreUnavailable e) {
            problems.add("The database cannot be reached.");
        }
        problems.addAll(certificates.problems());
        return problems;
    }

    /** What somebody should see to while it works. */
    List<String> notices() {
        return certificates.notices();
    }

    /** The port of the operators' gRPC services. */
    public int grpcPort() {
        return operators.port();
    }

    /** The port of REST. */
    public int httpPort() {
        return http.port();
    }

    /** Whether this replica leads. */
    public boolean leads() {
        return leadership.leads();
    }

    @Override
    public void close() {
        try {
            leadership.close(); // first of all: whoever follows waits for it
        } finally {
            streams.close(); // or the doors would wait for those who listen
            while (!parts.isEmpty()) {
                try {
                    parts.pop().close();
                } catch (Exception e) {
                    // the others must be closed whatever one of them says
                    LOG.warn("A part did not close reason={}", e.getMessage());
                }
            }
        }
    }
}
