package drover.coordinator;

import drover.coordinator.api.DependencyErrorInterceptor;
import drover.coordinator.api.IdempotencyKeyInterceptor;
import drover.coordinator.api.access.ApiKeyGrpcService;
import drover.coordinator.api.access.JoinTokenGrpcService;
import drover.coordinator.api.export.AuditGrpcService;
import drover.coordinator.api.export.EventGrpcService;
import drover.coordinator.api.group.GroupQueries;
import drover.coordinator.api.group.RolloutGroupGrpcService;
import drover.coordinator.api.incident.IncidentGrpcService;
import drover.coordinator.api.node.NodeGrpcService;
import drover.coordinator.api.node.NodeQueries;
import drover.coordinator.api.rollout.ManifestGrpcService;
import drover.coordinator.api.rollout.RolloutGrpcService;
import drover.coordinator.api.rollout.RolloutQueries;
import drover.coordinator.election.LeaderElector;
import drover.coordinator.engine.access.JoinTokenAuditRecorder;
import drover.coordinator.engine.access.ReadinessCache;
import drover.coordinator.engine.create.RolloutCreator;
import drover.coordinator.engine.create.RolloutPreviewer;
import drover.coordinator.engine.export.AllHistoriesVerifier;
import drover.coordinator.engine.export.EventSinkLoop;
import drover.coordinator.engine.export.EventStreams;
import drover.coordinator.engine.export.RetentionLoop;
import drover.coordinator.engine.export.SpanExportLoop;
import drover.coordinator.engine.fleet.NoDataFleetView;
import drover.coordinator.engine.group.OperatorGroupRequestSubmitter;
import drover.coordinator.engine.group.RolloutGroupCreator;
import drover.coordinator.engine.leader.LeaderDependencies;
import drover.coordinator.engine.leader.Leadership;
import drover.coordinator.engine.loop.DatabaseClock;
import drover.coordinator.engine.loop.DatabaseClockLoop;
import drover.coordinator.engine.metrics.CoordinatorMetrics;
import drover.coordinator.engine.request.BlockingPreflightRequester;
import drover.coordinator.engine.request.DeadLetterRetryRequester;
import drover.coordinator.engine.request.IncidentUpdateService;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter;
import drover.coordinator.engine.request.RolloutRequestSubmitter;
import drover.coordinator.peers.CommandSigner;
import drover.coordinator.peers.ComparingManifestServiceLink;
import drover.coordinator.peers.GrpcGatewayLink;
import drover.coordinator.peers.GrpcHealthEvaluatorLink;
import drover.coordinator.peers.GrpcManifestServiceLink;
import drover.coordinator.peers.GrpcNodeDirectoryLink;
import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.peers.JoinTokenProtos;
import drover.coordinator.peers.ManifestServiceLink;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.sink.EventSink;
import drover.coordinator.store.access.PostgresApiKeyStore;
import drover.coordinator.store.access.PostgresJoinTokenHistoryWriter;
import drover.coordinator.store.audit.PostgresHistoryChecker;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.export.PostgresEventDeliveryStore;
import drover.coordinator.store.export.PostgresOperatorDeadLetterStore;
import drover.coordinator.store.export.PostgresSpanHistoryStore;
import drover.coordinator.store.gateway.PostgresBlockedNodeReader;
import drover.coordinator.store.gateway.PostgresGatewayRegistryReader;
import drover.coordinator.store.group.PostgresGroupStore;
import drover.coordinator.store.group.PostgresGroupViews;
import drover.coordinator.store.incident.PostgresOperatorIncidentStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.preflight.PostgresPreflightStore;
import drover.coordinator.store.query.PostgresAttentionCountViews;
import drover.coordinator.store.query.PostgresHistoryForMetricsViews;
import drover.coordinator.store.query.PostgresPreviewInputViews;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.retention.PostgresRetentionStore;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.Channels;
import drover.kit.grpc.ConnectionRateAndCountLimiter;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.UnknownFieldsInterceptor;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.rest.HttpServer;
import drover.kit.rest.RestTranscoder;
import drover.kit.rest.openapi.OpenApiGenerator;
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
    private static final int MAX_CONCURRENT_CALLS = 32;

    private static final Duration LONGEST_CALL = Duration.ofSeconds(30); // REST asks for 10 s

    private static final int MAX_STREAMS = 256; // of events, for callers with a key

    private final RolloutCoordinatorConfig config;
    private final CoordinatorTls tls;
    private final CertificateExpiryMonitor certificates;
    private final Database database;
    private final PostgresLeaderStore leaderStore;
    private final PostgresEventDeliveryStore events;
    private final EventStreams streams;
    private final CoordinatorMetrics metrics;
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
    public record Dependencies(
            DataSource dataSource,
            LeaderElector elector,
            TraceExporter spans,
            Metrics metrics,
            List<EventSink> sinks,
            CoordinatorTls tls) {
        public Dependencies {
            sinks = List.copyOf(sinks);
        }

        /** With plain connections. */
        public Dependencies(
                DataSource dataSource,
                LeaderElector elector,
                TraceExporter spans,
                Metrics metrics,
                List<EventSink> sinks) {
            this(dataSource, elector, spans, metrics, sinks, CoordinatorTls.plaintext());
        }

        /** With metrics that nobody looks at, and nobody outside who is told of events. */
        public Dependencies(DataSource dataSource, LeaderElector elector, TraceExporter spans) {
            this(dataSource, elector, spans, Metrics.open(), List.of());
        }

        /** Without traces. */
        public Dependencies(DataSource dataSource, LeaderElector elector) {
            this(dataSource, elector, TraceExporter.disabled());
        }
    }

    /** Brings the schema up to date, opens the doors and campaigns. */
    public static RolloutCoordinator start(RolloutCoordinatorConfig config, Dependencies parts) {
        return new RolloutCoordinator(config, parts);
    }

    private RolloutCoordinator(RolloutCoordinatorConfig config, Dependencies outer) {
        this.config = config;
        this.tls = outer.tls();
        this.certificates = tls.createExpiryMonitor();
        this.database = Database.migrateAndOpen(outer.dataSource());
        this.leaderStore = new PostgresLeaderStore(database);
        this.events = new PostgresEventDeliveryStore(database);
        this.streams = new EventStreams(events, System::nanoTime);
        DatabaseClock clock = new DatabaseClock(leaderStore, System::nanoTime);
        PostgresGatewayRegistryReader registry = new PostgresGatewayRegistryReader(database);
        this.metrics =
                new CoordinatorMetrics(
                        outer.metrics(),
                        new PostgresHistoryForMetricsViews(database),
                        System::nanoTime);
        this.leadership =
                new Leadership(
                        config.replicaId(),
                        outer.elector(),
                        new LeaderDependencies(
                                leaderStore,
                                registry,
                                new PostgresBlockedNodeReader(database),
                                GrpcGatewayLink.signingConnector(
                                        tls.edges().channelsTo(ServiceName.GATEWAY),
                                        createSigner(config, clock)),
                                evaluatorConnectors(config.healthEvaluators()),
                                config.timings(),
                                new SpanExportLoop.Dependencies(
                                        new PostgresSpanHistoryStore(database), outer.spans()),
                                metrics,
                                new EventSinkLoop.Dependencies(
                                        events,
                                        events,
                                        outer.sinks(),
                                        new PostgresAttentionCountViews(database)),
                                new RetentionLoop.StoreAndRetention(
                                        new PostgresRetentionStore(database), config.keep())),
                        database);
        parts.push(outer.spans());
        parts.push(certificates.register(outer.metrics())::run);
        parts.push(metrics);
        outer.sinks().forEach(parts::push);
        try {
            parts.push(DatabaseClockLoop.start(clock));
            OperatorAccessControl entrance =
                    OperatorAccessControl.createWithGrants(
                            config.access(), new PostgresApiKeyStore(database), clock::now);
            this.operators = openGrpcListeners(registry, clock, entrance);
            this.http = openHttp(entrance);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        metrics.registerLeaderGauge(leadership::isLeader);
        leadership.start();
        operators.setReady(true);
    }

    private EventGrpcService createEventService() {
        PostgresOperatorDeadLetterStore letters = new PostgresOperatorDeadLetterStore(database);
        return new EventGrpcService(
                streams, events, letters, new DeadLetterRetryRequester(letters));
    }

    private static CommandSigner createSigner(
            RolloutCoordinatorConfig config, DatabaseClock clock) {
        return config.commandKey()
                .map(
                        key -> {
                            LOG.info("Commands are signed keyId={}", key.id());
                            return CommandSigner.with(key, clock::now);
                        })
                .orElse(CommandSigner.NONE);
    }

    private GrpcServer openGrpcListeners(
            PostgresGatewayRegistryReader registry,
            DatabaseClock clock,
            OperatorAccessControl entrance) {
        GrpcServer.Builder plan =
                tls.configureServerTlsIfPresent(
                        createOperatorServices(registry, clock, entrance).withReflection());
        // REST goes through the same doors and interceptors, inside this process.
        parts.push(
                createOperatorServices(registry, clock, entrance).listen(inProcessRestAddress()));
        GrpcServer host =
                plan.limits(config.limits(), createRateLimiter("operators-grpc"))
                        .listen(config.grpcAddress());
        parts.push(host);
        return host;
    }

    /** One for each of the two hosts; they record each entry once. */
    private JoinTokenAuditRecorder startTokenAudit(GrpcNodeDirectoryLink directory) {
        JoinTokenAuditRecorder audit =
                new JoinTokenAuditRecorder(
                        new PostgresJoinTokenHistoryWriter(database),
                        () ->
                                directory.listRecentJoinTokens().stream()
                                        .map(JoinTokenProtos::toReportedJoinToken)
                                        .toList());
        parts.push(audit.start());
        return audit;
    }

    private ConnectionRateAndCountLimiter createRateLimiter(String endpoint) {
        return config.limits().createRateLimiter(endpoint, metrics::countRejectedConnection);
    }

    private Address inProcessRestAddress() {
        return new Address.InProcess(
                "coordinator-" + config.replicaId() + "-" + System.identityHashCode(this));
    }

    private GrpcServer.Builder createOperatorServices(
            PostgresGatewayRegistryReader registry,
            DatabaseClock clock,
            OperatorAccessControl entrance) {
        Map<Address, ManagedChannel> manifests = openManifestChannels();
        GrpcNodeDirectoryLink directory =
                new GrpcNodeDirectoryLink(registry, tls.edges().channelsTo(ServiceName.GATEWAY));
        parts.push(directory);
        PostgresRolloutViews views = new PostgresRolloutViews(database);
        ManifestServiceLink manifestLink =
                ComparingManifestServiceLink.of(createManifestLinks(manifests));
        PostgresPreviewInputViews facts = new PostgresPreviewInputViews(database);
        RolloutCreator creation =
                new RolloutCreator(
                        manifestLink,
                        directory,
                        new PostgresRolloutCreationStore(database),
                        clock::now,
                        facts);
        RolloutPreviewer preview =
                new RolloutPreviewer(creation, manifestLink, directory, facts, clock::now);
        Supplier<FleetView> fleet = () -> leadership.fleetView().orElseGet(NoDataFleetView::new);
        PostgresOperatorIncidentStore incidents = new PostgresOperatorIncidentStore(database);
        RolloutQueries reading = new RolloutQueries(views, fleet, preview, incidents);
        PostgresGroupStore groups = new PostgresGroupStore(database);
        OperatorNodeRequestSubmitter nodeRequests =
                new OperatorNodeRequestSubmitter(new PostgresOperatorNodeRequestStore(database));
        return GrpcServer.builder()
                .accessControl(entrance.gate())
                .callLimits(MAX_CONCURRENT_CALLS, LONGEST_CALL)
                .maxStreams(MAX_STREAMS)
                .addInterceptor(new IdempotencyKeyInterceptor())
                .addInterceptor(new DependencyErrorInterceptor())
                .addInterceptor(new UnknownFieldsInterceptor())
                .addService(
                        new RolloutGrpcService(
                                creation,
                                new RolloutRequestSubmitter(
                                        new PostgresRolloutRequestStore(database)),
                                reading,
                                new BlockingPreflightRequester(
                                        new PostgresPreflightStore(database))))
                .addService(
                        new RolloutGroupGrpcService(
                                new RolloutGroupCreator(creation, groups, clock::now),
                                new OperatorGroupRequestSubmitter(groups),
                                new GroupQueries(new PostgresGroupViews(database), reading)))
                .addService(
                        new NodeGrpcService(
                                directory,
                                new NodeQueries(
                                        views, facts, fleet, clock::now, nodeRequests, incidents),
                                nodeRequests))
                .addService(createEventService())
                .addService(
                        new IncidentGrpcService(incidents, new IncidentUpdateService(incidents)))
                .addService(new ApiKeyGrpcService(entrance.keys()))
                .addService(new JoinTokenGrpcService(directory, startTokenAudit(directory)))
                .addService(
                        new AuditGrpcService(
                                new AllHistoriesVerifier(
                                        new PostgresHistoryChecker(database), System::nanoTime)))
                .addService(new ManifestGrpcService(List.copyOf(manifests.values())));
    }

    private List<HealthEvaluatorLink.Connector> evaluatorConnectors(List<Address> addresses) {
        ChannelFactory channelFactory = tls.edges().channelsTo(ServiceName.HEALTH);
        return addresses.stream()
                .<HealthEvaluatorLink.Connector>map(
                        address ->
                                events ->
                                        GrpcHealthEvaluatorLink.open(
                                                channelFactory.open(address), events))
                .toList();
    }

    /** In the order of the settings. */
    private Map<Address, ManagedChannel> openManifestChannels() {
        ChannelFactory channelFactory = tls.edges().channelsTo(ServiceName.MANIFEST);
        Map<Address, ManagedChannel> channels = new LinkedHashMap<>();
        for (Address address : config.manifestServices()) {
            ManagedChannel channel = channelFactory.open(address);
            channels.put(address, channel);
            parts.push(channel::shutdownNow);
        }
        return channels;
    }

    private static Map<String, ManifestServiceLink> createManifestLinks(
            Map<Address, ManagedChannel> channels) {
        Map<String, ManifestServiceLink> links = new LinkedHashMap<>();
        channels.forEach(
                (address, channel) ->
                        links.put(address.toString(), new GrpcManifestServiceLink(channel)));
        return links;
    }

    private HttpServer openHttp(OperatorAccessControl entrance) {
        ManagedChannel channel = Channels.open(inProcessRestAddress());
        parts.push(channel::shutdownNow);
        HttpServer.Builder plan =
                tls.configureServerTlsIfPresent(
                        HttpServer.builder(), createRateLimiter("operators-rest"));
        if (config.access().insecure()) {
            plan.rejectCrossSite(tls::operatorCertificateHosts);
        }
        HttpServer host =
                plan.rest(
                                RestTranscoder.of(channel, OperatorApiDefinition.SERVICES)
                                        .withAccessControl(entrance.gate()))
                        .page(
                                OpenApiGenerator.PATH,
                                "application/json",
                                OperatorApiDefinition::openApiDocument)
                        .readyWhen(
                                new ReadinessCache(this::readinessProblems, System::nanoTime),
                                new ReadinessCache(this::certificateNotices, System::nanoTime))
                        .listen(config.http());
        parts.push(host);
        return host;
    }

    /** What keeps this replica from being ready; empty when it is. */
    public List<String> readinessProblems() {
        List<String> problems = new ArrayList<>();
        try {
            leaderStore.databaseTime();
        } catch (StoreUnavailable e) {
            problems.add("The database cannot be reached.");
        }
        problems.addAll(certificates.problems());
        return problems;
    }

    /** What somebody should see to while it works. */
    List<String> certificateNotices() {
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
        return leadership.isLeader();
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
