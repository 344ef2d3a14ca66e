package drover.system.failover;

import static org.awaitility.Awaitility.await;

import drover.system.fault.Fault;
import drover.system.fault.Fault.CommitsUnanswered;
import drover.system.fault.Fault.Cut;
import drover.system.fault.Fault.Direction;
import drover.system.fault.Fault.Frozen;
import drover.system.fault.Fault.Held;
import drover.system.fault.Fault.Killed;
import drover.system.fault.Fault.Lost;
import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.FaultPlan.Turn;
import drover.system.fault.FaultProxy;
import drover.system.fault.NetworkPath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Does to a mesh what a plan says, and undoes it. */
final class FaultPlanExecutor {
    private final FaultInjectedDeployment deployment;

    FaultPlanExecutor(FaultInjectedDeployment deployment) {
        this.deployment = deployment;
    }

    private record Moment(Duration at, Runnable what) {}

    /** Comes back when everything is undone and every program takes connections again. */
    void play(FaultEpisode bout) {
        String leader = deployment.record().leader();
        List<Moment> moments = new ArrayList<>();
        for (Turn turn : bout.turns()) {
            Fault fault = of(turn.fault(), leader);
            System.out.println(
                    "FaultInjectionIT: bout "
                            + bout.number()
                            + ": "
                            + turn
                            + " (leader "
                            + leader
                            + ")");
            moments.add(new Moment(turn.after(), () -> startFault(fault)));
            moments.add(new Moment(turn.until(), () -> undo(fault)));
        }
        moments.sort(Comparator.comparing(Moment::at));
        long started = System.nanoTime();
        for (Moment moment : moments) {
            pass(moment.at().minusNanos(System.nanoTime() - started));
            moment.what().run();
        }
        deployment.awaitUp();
    }

    private static void pass(Duration time) {
        if (time.isPositive()) {
            await().pollDelay(time).atMost(time.plusMinutes(1)).until(() -> true);
        }
    }

    private void startFault(Fault fault) {
        switch (fault) {
            case Killed(String process) -> kill(process);
            case Frozen(String process) -> signal(process, "STOP");
            case Cut(NetworkPath edge) -> link(edge).cut();
            case Held(NetworkPath edge, Direction direction) -> link(edge).hold(direction);
            case Lost(NetworkPath edge, Direction direction) -> link(edge).lose(direction);
            case CommitsUnanswered(NetworkPath edge) -> link(edge).leaveCommitsUnanswered();
        }
    }

    private void undo(Fault fault) {
        switch (fault) {
            case Killed(String process) -> start(process);
            case Frozen(String process) -> signal(process, "CONT");
            case Cut(NetworkPath edge) -> link(edge).heal();
            case Held(NetworkPath edge, Direction _) -> link(edge).heal();
            case Lost(NetworkPath edge, Direction _) -> link(edge).heal();
            case CommitsUnanswered(NetworkPath edge) -> link(edge).heal();
        }
    }

    private FaultProxy link(NetworkPath edge) {
        return deployment.links().of(edge);
    }

    private void kill(String process) {
        if (process.equals(NetworkPath.POSTGRES)) {
            deployment.postgres().kill();
        } else if (isEtcd(process)) {
            deployment.member(process).kill();
        } else {
            deployment.programs().kill(process);
        }
    }

    private void start(String process) {
        if (process.equals(NetworkPath.POSTGRES)) {
            deployment.postgres().start();
        } else if (isEtcd(process)) {
            deployment.member(process).start();
        } else {
            deployment.programs().start(process);
        }
    }

    private void signal(String process, String signal) {
        if (process.equals(NetworkPath.POSTGRES)) {
            deployment.postgres().signal(signal);
        } else if (!isEtcd(process)) {
            deployment.programs().signal(process, signal);
        } else if (signal.equals("STOP")) {
            deployment.member(process).pause();
        } else {
            deployment.member(process).resume();
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
            case Cut(NetworkPath edge) -> new Cut(edge(edge, leader));
            case Held(NetworkPath edge, Direction way) -> new Held(edge(edge, leader), way);
            case Lost(NetworkPath edge, Direction way) -> new Lost(edge(edge, leader), way);
            case CommitsUnanswered(NetworkPath edge) -> new CommitsUnanswered(edge(edge, leader));
        };
    }

    private static NetworkPath edge(NetworkPath edge, String leader) {
        return new NetworkPath(name(edge.from(), leader), edge.to());
    }

    private static String name(String process, String leader) {
        return process.equals(NetworkPath.LEADER) ? leader : process;
    }
}
