package drover.coordinator;

import drover.coordinator.election.LeaderElector;
import drover.coordinator.plan.Timings;
import drover.coordinator.store.TestDatabase;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;
import javax.sql.DataSource;

/** Whole coordinators over one database, each with connections of its own. No fleet is there. */
final class Pair implements AutoCloseable {
    final TestDatabase database = TestDatabase.open();
    final Wire wire = new Wire(database.port());
    private final Function<DataSource, LeaderElector> electors;
    private final Deque<Runnable> opened = new ArrayDeque<>();

    Pair(Function<DataSource, LeaderElector> electors) {
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
            String id, ConnectionPool connections, Function<DataSource, LeaderElector> elector) {
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
                                Timings.STANDARD,
                                AccessConfig.asksNobody()),
                        new RolloutCoordinator.Parts(connections, elector.apply(connections)));
        opened.push(coordinator::close);
        return coordinator;
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
