package drover.bench.fault;

import drover.bench.fault.Fault.CommitsUnanswered;
import drover.bench.fault.Fault.Cut;
import drover.bench.fault.Fault.Frozen;
import drover.bench.fault.Fault.Held;
import drover.bench.fault.Fault.Killed;
import drover.bench.fault.Fault.Lost;
import drover.bench.fault.FaultPlan.Bout;
import drover.bench.fault.FaultPlan.Turn;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a bout leaves a coordinator no evaluator that hears one of the gateways: the one thing
 * for which a rollout may pause by itself. As long as there is one, that one is asked (decision
 * 0086).
 */
public final class UnheardGateway {
    /**
     * A silence is borne for two minutes. One that ends within the first is over before, also when
     * the other evaluator is asked after 40 s only and dials its gateway again for some seconds.
     */
    private static final Duration BORNE = FaultPlan.LONGEST.dividedBy(2);

    private static final List<String> COORDINATORS = List.of("coordinator-1", "coordinator-2");
    private static final List<String> EVALUATORS = List.of("health-1", "health-2");
    private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2");

    private UnheardGateway() {}

    /** Through either coordinator, as any of them may come to lead, and for long enough. */
    public static boolean isIn(Bout bout) {
        return COORDINATORS.stream()
                .anyMatch(
                        coordinator ->
                                GATEWAYS.stream()
                                        .anyMatch(gateway -> isIn(bout, coordinator, gateway)));
    }

    private static boolean isIn(Bout bout, String coordinator, String gateway) {
        return between(bout, coordinator, EVALUATORS.getFirst(), gateway)
                .anyMatch(
                        one ->
                                between(bout, coordinator, EVALUATORS.getLast(), gateway)
                                        .anyMatch(other -> overlap(one, other)));
    }

    /** What stands between a coordinator and what this evaluator hears of the gateway. */
    private static Stream<Turn> between(
            Bout bout, String coordinator, String evaluator, String gateway) {
        return bout.turns().stream()
                .filter(
                        turn ->
                                switch (turn.fault()) {
                                    case Killed(String process) -> process.equals(evaluator);
                                    case Frozen(String process) -> process.equals(evaluator);
                                    case Cut(Edge edge) ->
                                            isOn(edge, coordinator, evaluator, gateway);
                                    case Held(Edge edge, var _) ->
                                            isOn(edge, coordinator, evaluator, gateway);
                                    case Lost(Edge edge, var _) ->
                                            isOn(edge, coordinator, evaluator, gateway);
                                    case CommitsUnanswered(Edge _) -> false;
                                });
    }

    private static boolean isOn(Edge edge, String coordinator, String evaluator, String gateway) {
        return edge.equals(new Edge(coordinator, evaluator))
                || edge.equals(new Edge(evaluator, gateway));
    }

    private static boolean overlap(Turn one, Turn other) {
        Duration from = one.after().compareTo(other.after()) > 0 ? one.after() : other.after();
        Duration until = one.until().compareTo(other.until()) < 0 ? one.until() : other.until();
        return until.minus(from).compareTo(BORNE) >= 0;
    }
}
