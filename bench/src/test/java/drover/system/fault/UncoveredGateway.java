package drover.system.fault;

import drover.system.fault.Fault.CommitsUnanswered;
import drover.system.fault.Fault.Cut;
import drover.system.fault.Fault.Frozen;
import drover.system.fault.Fault.Held;
import drover.system.fault.Fault.Killed;
import drover.system.fault.Fault.Lost;
import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.FaultPlan.Turn;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whether a bout leaves a coordinator no evaluator that hears one of the gateways: the one thing
 * for which a rollout may pause by itself. As long as there is one, that one is asked (decision
 * 0086).
 */
public final class UncoveredGateway {
    /**
     * A silence is borne for two minutes. One that ends within the first is over before, also when
     * the other evaluator is asked after 40 s only and dials its gateway again for some seconds.
     */
    private static final Duration BORNE = FaultPlan.LONGEST.dividedBy(2);

    private static final List<String> COORDINATORS = List.of("coordinator-1", "coordinator-2");
    private static final List<String> EVALUATORS = List.of("health-1", "health-2");
    private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2");

    private UncoveredGateway() {}

    /** Through either coordinator, as any of them may come to lead, and for long enough. */
    public static boolean isIn(FaultEpisode bout) {
        return COORDINATORS.stream()
                .anyMatch(
                        coordinator ->
                                GATEWAYS.stream()
                                        .anyMatch(gateway -> isIn(bout, coordinator, gateway)));
    }

    private static boolean isIn(FaultEpisode bout, String coordinator, String gateway) {
        return between(bout, coordinator, EVALUATORS.getFirst(), gateway)
                .anyMatch(
                        one ->
                                between(bout, coordinator, EVALUATORS.getLast(), gateway)
                                        .anyMatch(other -> overlap(one, other)));
    }

    /** What stands between a coordinator and what this evaluator hears of the gateway. */
    private static Stream<Turn> between(
            FaultEpisode bout, String coordinator, String evaluator, String gateway) {
        return bout.turns().stream()
                .filter(
                        turn ->
                                switch (turn.fault()) {
                                    case Killed(String process) -> process.equals(evaluator);
                                    case Frozen(String process) -> process.equals(evaluator);
                                    case Cut(NetworkPath edge) ->
                                            isOn(edge, coordinator, evaluator, gateway);
                                    case Held(NetworkPath edge, var _) ->
                                            isOn(edge, coordinator, evaluator, gateway);
                                    case Lost(NetworkPath edge, var _) ->
                                            isOn(edge, coordinator, evaluator, gateway);
                                    case CommitsUnanswered(NetworkPath _) -> false;
                                });
    }

    private static boolean isOn(
            NetworkPath edge, String coordinator, String evaluator, String gateway) {
        return edge.equals(new NetworkPath(coordinator, evaluator))
                || edge.equals(new NetworkPath(evaluator, gateway));
    }

    private static boolean overlap(Turn one, Turn other) {
        Duration from = one.after().compareTo(other.after()) > 0 ? one.after() : other.after();
        Duration until = one.until().compareTo(other.until()) < 0 ? one.until() : other.until();
        return until.minus(from).compareTo(BORNE) >= 0;
    }
}
