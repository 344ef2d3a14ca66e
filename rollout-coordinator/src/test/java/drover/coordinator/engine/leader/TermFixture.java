package drover.coordinator.engine.leader;

import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.CommandBody;
import drover.coordinator.engine.export.EventSinkLoop;
import drover.coordinator.engine.export.RetentionLoop;
import drover.coordinator.engine.export.SpanExportLoop;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.engine.loop.LoopScheduler;
import drover.coordinator.engine.loop.ThreadLoopScheduler;
import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.InMemoryGateway;
import drover.coordinator.peers.InMemoryHealthEvaluator;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.sink.EventSink;
import drover.coordinator.store.export.PostgresEventDeliveryStore;
import drover.coordinator.store.export.PostgresSpanHistoryStore;
import drover.coordinator.store.export.SpanHistoryStore;
import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.node.PostgresOperatorNodeRequestStore;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.request.RolloutRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.kit.telemetry.InMemoryTraceExporter;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Terms over a real database, with a gateway, agents and an evaluator that tests script. */
public final class TermFixture implements AutoCloseable {
    /** Far more than a node takes to accept a command on a busy machine. */
    private static final Duration ACCEPT = Duration.ofSeconds(20);

    public final TestDatabase database = TestDatabase.open();
    public final LeaderStore store = new PostgresLeaderStore(database.database());
    public final InMemoryGateway gateway = new InMemoryGateway();
    final InMemoryHealthEvaluator health = new InMemoryHealthEvaluator();
    final List<MessageToNode> delivered = Collections.synchronizedList(new ArrayList<>());
    public final SpanHistoryStore spanStore = new PostgresSpanHistoryStore(database.database());
    public final InMemoryTraceExporter spans = new InMemoryTraceExporter();
    public final PostgresEventDeliveryStore events =
            new PostgresEventDeliveryStore(database.database());
    public final Set<NodeId> blocked = ConcurrentHashMap.newKeySet(); // nobody may speak for them
    public volatile List<RegisteredGateway> registered =
            List.of(new RegisteredGateway("g1", "here"));
    public final RolloutId id;
    private final List<LeaderTerm> terms = new ArrayList<>();
    private final AtomicInteger sequence = new AtomicInteger();
    private final String chain;
    private Duration accept = ACCEPT;

    public TermFixture(SampleRollout.Plan plan) {
        chain = plan.chain();
        id = StoredRollout.create(database, plan.inRealTime(), store.databaseTime());
        gateway.onDelivery(this::obey);
        for (int i = 1; i <= plan.nodes(); i++) {
            connect(node(i), "session-1", false);
        }
    }

    /** Shortens the deadline for accepting a command, for agents that never accept one. */
    public void expireCommandsAfter(Duration deadline) {
        accept = deadline;
    }

    /** Short enough for a test, in the proportions of the product. */
    private RolloutTimeouts timings() {
        return new RolloutTimeouts(
                accept,
                ACCEPT.plusSeconds(10),
                Duration.ZERO,
                Duration.ofMinutes(15),
                Duration.ofSeconds(1),
                Duration.ofHours(24),
                Duration.ofDays(7));
    }

    public NodeId node(int number) {
        return SampleRollout.node(chain, number);
    }

    public LeaderTerm lead() {
        return lead(store);
    }

    public LeaderTerm lead(LeaderStore through) {
        return lead(through, new ThreadLoopScheduler(), List.of());
    }

    /** A leader that tells these what happens. */
    public LeaderTerm lead(LeaderStore through, List<EventSink> sinks) {
        return lead(through, new ThreadLoopScheduler(), sinks);
    }

    LeaderTerm lead(LoopScheduler pacer) {
        return lead(store, pacer, List.of());
    }

    private LeaderTerm lead(LeaderStore through, LoopScheduler pacer, List<EventSink> sinks) {
        return lead(neighbours(through, gateway, sinks), pacer);
    }

    /** A leader that dials gateways in its own way. */
    LeaderTerm lead(LeaderStore through, GatewayLink.Connector dialer) {
        return lead(neighbours(through, dialer, List.of()), new ThreadLoopScheduler());
    }

    private LeaderTerm lead(LeaderDependencies neighbours, LoopScheduler pacer) {
        LeaderTerm term =
                LeaderTerm.start("leader-" + terms.size(), neighbours, pacer, LeaderTerm::close);
        terms.add(term);
        return term;
    }

    /** What whoever stands by would lead with. */
    LeaderDependencies neighbours() {
        return neighbours(store);
    }

    LeaderDependencies neighbours(LeaderStore through) {
        return neighbours(through, gateway, List.of());
    }

    private LeaderDependencies neighbours(
            LeaderStore through, GatewayLink.Connector dialer, List<EventSink> sinks) {
        return new LeaderDependencies(
                through,
                () -> registered,
                nodes -> nodes.stream().filter(blocked::contains).collect(Collectors.toSet()),
                dialer,
                List.of(health),
                timings(),
                new SpanExportLoop.Dependencies(spanStore, spans),
                LoopMeter.NONE,
                new EventSinkLoop.Dependencies(events, events, sinks),
                RetentionLoop.StoreAndRetention.retainAll());
    }

    /** Writes a request down as any replica does. */
    public UUID submit(OperatorRequest request) {
        RolloutRequestStore.SubmitResult placed =
                new PostgresRolloutRequestStore(database.database())
                        .submitRequest(
                                id,
                                request,
                                SampleRollout.requesterOf(request),
                                UUID.randomUUID().toString(),
                                "");
        terms.forEach(term -> term.wakeRollout(id));
        return ((RolloutRequestStore.SubmitResult.WrittenNowOrEarlier) placed).id();
    }

    /** Writes a request about a node down as any replica does. */
    public UUID submit(NodeId node, OperatorNodeRequest request) {
        RolloutRequestStore.SubmitResult placed =
                new PostgresOperatorNodeRequestStore(database.database())
                        .submitRequest(
                                node, request, "alice", UUID.randomUUID().toString(), "It is so.");
        terms.forEach(term -> term.wakeRollout(id));
        return ((RolloutRequestStore.SubmitResult.WrittenNowOrEarlier) placed).id();
    }

    /** What became of a request about a node: its state, or the code it was refused with. */
    public String outcome(UUID request) {
        RolloutRequestStore.RequestStatus status =
                new PostgresOperatorNodeRequestStore(database.database())
                        .requestStatus(request)
                        .orElseThrow();
        return status.refusalCode().isEmpty() ? status.state() : status.refusalCode();
    }

    public Rollout rollout() {
        return store.load(id).orElseThrow().rollout();
    }

    public void connect(NodeId node, String session, boolean upgraded) {
        gateway.connect(
                node,
                new NodeView.Present(
                        session,
                        "process",
                        Set.of(),
                        0,
                        Map.of(
                                new BinaryName("web"),
                                new NodeView.ProgramView(
                                        new Version(upgraded ? "v2" : "v1"),
                                        upgraded
                                                ? SampleRollout.NEW.value()
                                                : SampleRollout.OLD.value(),
                                        upgraded
                                                ? SampleRollout.NEW_CONFIG.value()
                                                : SampleRollout.OLD_CONFIG.value(),
                                        true))));
    }

    /** An agent that does at once what it is told, and only remembers what it is not told. */
    public void obey(MessageToNode delivery) {
        delivered.add(delivery);
        switch (delivery) {
            case MessageToNode.Command command -> {
                CommandBody body = body(command);
                if (body.hasClear()) { // it belongs to no rollout
                    gateway.report(
                            command.node(),
                            null,
                            status(body.getAttempt(), AttemptOutcome.SUCCEEDED));
                    return;
                }
                report(
                        command.node(),
                        body.getAttempt(),
                        body.hasRestore() ? AttemptOutcome.RESTORED : AttemptOutcome.SUCCEEDED);
            }
            case MessageToNode.StopOldAgent stop -> {} // kept in what was delivered
            case MessageToNode.Withdraw withdraw -> // it never saw the work, so it knows no rollout
                    gateway.report(
                            withdraw.node(),
                            null,
                            status(withdraw.through(), AttemptOutcome.WITHDRAWN));
        }
    }

    public static CommandBody body(MessageToNode.Command command) {
        try {
            return CommandBody.parseFrom(command.body());
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError("An unreadable body was sent", e);
        }
    }

    public void report(NodeId node, long attempt, AttemptOutcome outcome) {
        gateway.report(node, id, status(attempt, outcome));
    }

    public AttemptStatus status(long attempt, AttemptOutcome outcome) {
        boolean upgraded = outcome == AttemptOutcome.SUCCEEDED;
        return new AttemptStatus(
                attempt,
                sequence.incrementAndGet(),
                outcome,
                null,
                "",
                0,
                "",
                "",
                (upgraded ? SampleRollout.NEW : SampleRollout.OLD).value(),
                (upgraded ? SampleRollout.NEW_CONFIG : SampleRollout.OLD_CONFIG).value(),
                "run-" + attempt);
    }

    /** What a test does around a method of the store. */
    public interface Around {
        Object call(String method, Object[] arguments, Call real) throws Throwable;
    }

    /** The real method. */
    public interface Call {
        Object go() throws Throwable;
    }

    /** The store with something around its methods. */
    public LeaderStore around(Around around) {
        return (LeaderStore)
                Proxy.newProxyInstance(
                        LeaderStore.class.getClassLoader(),
                        new Class<?>[] {LeaderStore.class},
                        (proxy, method, arguments) ->
                                around.call(
                                        method.getName(),
                                        arguments == null ? new Object[0] : arguments,
                                        () -> {
                                            try {
                                                return method.invoke(store, arguments);
                                            } catch (InvocationTargetException e) {
                                                throw e.getCause();
                                            }
                                        }));
    }

    public List<GatewayLink.MessageToNode> deliveries() {
        synchronized (delivered) {
            return List.copyOf(delivered);
        }
    }

    @Override
    public void close() {
        terms.forEach(LeaderTerm::close);
        database.close();
    }
}
