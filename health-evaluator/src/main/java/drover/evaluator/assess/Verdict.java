package drover.evaluator.assess;

import java.util.List;

/** What is held of a node's program. Only {@link Healthy} opens a gate (invariant F3). */
public sealed interface Verdict {
    /** All criteria hold, and have held for the whole hold. */
    record Healthy() implements Verdict {}

    /** Nothing is broken for good, but something is still waited for. */
    record Settling(List<HealthFinding> waitingOn) implements Verdict {
        public Settling {
            waitingOn = List.copyOf(waitingOn);
        }
    }

    /** A criterion is broken. */
    record Unhealthy(List<HealthFinding> findings) implements Verdict {
        public Unhealthy {
            findings = List.copyOf(findings);
        }
    }

    /** No heartbeat that counts. */
    record NoData(List<HealthFinding> findings) implements Verdict {
        public NoData {
            findings = List.copyOf(findings);
        }
    }

    /** Why; empty when healthy. */
    default List<HealthFinding> reasons() {
        return switch (this) {
            case Healthy() -> List.of();
            case Settling(List<HealthFinding> waitingOn) -> waitingOn;
            case Unhealthy(List<HealthFinding> findings) -> findings;
            case NoData(List<HealthFinding> findings) -> findings;
        };
    }

    /** Whether it says the same for the same codes; sentences may count seconds. */
    default boolean isEquivalentTo(Verdict other) {
        return getClass() == other.getClass() && codes().equals(other.codes());
    }

    private List<HealthFindingCode> codes() {
        return reasons().stream().map(HealthFinding::code).toList();
    }
}
