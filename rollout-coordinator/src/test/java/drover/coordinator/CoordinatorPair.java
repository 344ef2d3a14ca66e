package drover.coordinator;

import static org.awaitility.Awaitility.await;

import drover.coordinator.election.LeaderElector;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.store.sql.TestDatabase;
import drover.kit.database.ConnectionPool;
import drover.kit.database.ConnectionSource;
import drover.kit.grpc.Address;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whole coordinators over one database, each with connections of its own. No fleet is there. */
final class CoordinatorPair implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorPair.class);
    private static final Duration SOON = Waits.LIMIT;

    final TestDatabase database = TestDatabase.open();
    final FreezableProxy wire = new FreezableProxy(database.port());
    private final Function<ConnectionSource, LeaderElector> electors;
    private final Deque<Runnable> opened = new ArrayDeque<>();
    private final Map<RolloutCoordinator, ConnectionPool> pools = new HashMap<>();

    CoordinatorPair(Function<ConnectionSource, LeaderElector> electors) {
        this.electors = electors;
    }

    /** One that reaches the database over the wire. */
    RolloutCoordinator first(int connections) {
        return start("first", database.through(wire.port(), connections), electors);
    }

    /** Another one that reaches it over the same wire. */
    RolloutCoordinator alike(int connections) {
        return start("alike", database.through(wire.port(), connections), electors);
    }

    /** One that reaches it directly. */
    RolloutCoordinator second(int connections) {
        return start("second", database.through(database.port(), connections), electors);
    }

    /** The same, with an elector of its own. */
    RolloutCoordinator second(int connections, LeaderElector own) {
        return start("second", database.through(database.port(), connections), any -> own);
    }

    private RolloutCoordinator start(
            String id,
            ConnectionPool connections,
            Function<ConnectionSource, LeaderElector> elector) {
        opened.push(connections::close);
        Address nowhere = Address.parse("in-process:nowhere");
        RolloutCoordinator coordinator =
                RolloutCoordinator.start(
                        new RolloutCoordinatorConfig(
                                id,
                                Address.parse("127.0.0.1:0"),
                                new Address.Tcp("127.0.0.1", 0),
                                nowhere,
                                nowhere,
                                RolloutTimeouts.STANDARD,
                                OperatorAccessConfig.withoutAuthentication()),
                        new RolloutCoordinator.Dependencies(
                                connections, elector.apply(connections::openUnpooled)));
        opened.push(coordinator::close);
        pools.put(coordinator, connections);
        return coordinator;
    }

    /** Whatever this one's pool has, or has again, is lent and not given back. */
    void lendAllOf(RolloutCoordinator coordinator) {
        ConnectionPool lending = Objects.requireNonNull(pools.get(coordinator));
        Thread borrower = Thread.ofVirtual().start(() -> borrow(lending));
        opened.push(borrower::interrupt);
        await().atMost(SOON).until(() -> lending.usage().waiting() > 0);
    }

    private static void borrow(ConnectionPool lending) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                Connection _ = lending.getConnection(); // until the pool is closed
            } catch (SQLException e) {
                LOG.debug("None is left reason={}", e.getMessage());
            }
        }
    }

    long epoch() {
        return database.count("SELECT epoch FROM leader_epoch");
    }

    @Override
    public void close() {
        wire.thaw();
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
        wire.close();
        database.close();
    }
}
