package drover.bench.mesh;

import static org.awaitility.Awaitility.await;

import drover.bench.fault.Edge;
import drover.bench.fault.Fault;
import drover.bench.fault.Fault.CommitsUnanswered;
import drover.bench.fault.Fault.Cut;
import drover.bench.fault.Fault.Direction;
import drover.bench.fault.Fault.Frozen;
import drover.bench.fault.Fault.Held;
import drover.bench.fault.Fault.Killed;
import drover.bench.fault.Fault.Lost;
import drover.bench.fault.FaultPlan.Bout;
import drover.bench.fault.FaultPlan.Turn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Does to a mesh what a plan says, and undoes it. */
final class FaultPlayer {
    private final FaultyMesh mesh;

    FaultPlayer(FaultyMesh mesh) {
        this.mesh = mesh;
    }

    private record Moment(Duration at, Runnable what) {}

    /** Comes back when everything is undone and every program takes connections again. */
    void play(Bout bout) {
        String leader = mesh.record().leader();
        List<Moment> moments = new ArrayList<>();
        for (Turn turn : bout.turns()) {
            Fault fault = of(turn.fault(), leader);
            System.out.println(
                    "MeshFaultsIT: bout "
                            + bout.number()
                            + ": "
                            + turn
                            + " (leader "
                            + leader
                            + ")");
            moments.add(new Moment(turn.after(), () -> begin(fault)));
            moments.add(new Moment(turn.until(), () -> undo(fault)));
        }
        moments.sort(Comparator.comparing(Moment::at));
        long began = System.nanoTime();
        for (Moment moment : moments) {
            pass(moment.at().minusNanos(System.nanoTime() - began));
            moment.what().run();
        }
        mesh.awaitUp();
    }

    private static void pass(Duration time) {
        if (time.isPositive()) {
            await().pollDelay(time).atMost(time.plusMinutes(1)).until(() -> true);
        }
    }

    private void begin(Fault fault) {
        switch (fault) {
            case Killed(String process) -> kill(process);
            case Frozen(String process) -> signal(process, "STOP");
            case Cut(Edge edge) -> link(edge).cut();
            case Held(Edge edge, Direction direction) -> link(edge).hold(direction);
            case Lost(Edge edge, Direction direction) -> link(edge).lose(direction);
            case CommitsUnanswered(Edge edge) -> link(edge).leaveCommitsUnanswered();
        }
    }

    private void undo(Fault fault) {
        switch (fault) {
            case Killed(String process) -> start(process);
            case Frozen(String process) -> signal(process, "CONT");
            case Cut(Edge edge) -> link(edge).heal();
            case Held(Edge edge, Direction _) -> link(edge).heal();
            case Lost(Edge edge, Direction _) -> link(edge).heal();
            case CommitsUnanswered(Edge edge) -> link(edge).heal();
        }
    }

    private Link link(Edge edge) {
        return mesh.links().of(edge);
    }

    private void kill(String process) {
        if (process.equals(Edge.POSTGRES)) {
            mesh.postgres().kill();
        } else if (isEtcd(process)) {
            mesh.member(process).kill();
        } else {
            mesh.programs().kill(process);
        }
    }

    private void start(String process) {
        if (process.equals(Edge.POSTGRES)) {
            mesh.postgres().start();
        } else if (isEtcd(process)) {
            mesh.member(process).start();
        } else {
            mesh.programs().start(process);
        }
    }

    private void signal(String process, String signal) {
        if (process.equals(Edge.POSTGRES)) {
            mesh.postgres().signal(signal);
        } else if (!isEtcd(process)) {
            mesh.programs().signal(process, signal);
        } else if (signal.equals("STOP")) {
            mesh.member(process).pause();
        } else {
            mesh.member(process).resume();
        }
    }

    private static boolean isEtcd(String process) {
        return process.startsWith("etcd-");
    }

    /** The fault with the leader's own name in it. */
    private static Fault of(Fault fault, String leader) {
        return switch (fault) {
            case Killed(String process) -> new Killed(name(process, leader));
            case Frozen(String process) -> new Frozen(name(process, leader));
            case Cut(Edge edge) -> new Cut(edge(edge, leader));
            case Held(Edge edge, Direction way) -> new Held(edge(edge, leader), way);
            case Lost(Edge edge, Direction way) -> new Lost(edge(edge, leader), way);
            case CommitsUnanswered(Edge edge) -> new CommitsUnanswered(edge(edge, leader));
        };
    }

    private static Edge edge(Edge edge, String leader) {
        return new Edge(name(edge.from(), leader), edge.to());
    }

    private static String name(String process, String leader) {
        return process.equals(Edge.LEADER) ? leader : process;
    }
}
