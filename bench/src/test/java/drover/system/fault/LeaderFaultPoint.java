package drover.system.fault;

import drover.system.fault.Fault.Direction;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Where in its work a leader is caught, told by what it and PostgreSQL say to each other. */
public enum LeaderFaultPoint {
    /** It has written down work for a node, and PostgreSQL has not got its COMMIT. */
    BEFORE_COMMIT(LeaderFaultPoint.WORK, Direction.QUESTIONS, EnumSet.allOf(Direction.class)),

    /** PostgreSQL has committed that, and the answer has not arrived. */
    AFTER_COMMIT(LeaderFaultPoint.WORK, Direction.ANSWERS, EnumSet.allOf(Direction.class)),

    /** It knows that work is committed, and no gateway has heard of it. */
    BEFORE_SEND(LeaderFaultPoint.WORK, Direction.ANSWERS, EnumSet.noneOf(Direction.class)),

    /** It is about to lead: it has raised the epoch and not committed that. */
    TAKING_OVER(LeaderFaultPoint.EPOCH, Direction.QUESTIONS, EnumSet.allOf(Direction.class)),

    /** It has the epoch, and its first question after that does not get through. */
    LOADING(LeaderFaultPoint.EPOCH, Direction.ANSWERS, EnumSet.of(Direction.QUESTIONS));

    private static final String WORK = "INSERT INTO node_attempt";
    private static final String EPOCH = "UPDATE leader_epoch";

    private final String writes;
    private final Direction at;

    @SuppressWarnings("ImmutableEnumChecker") // made unmodifiable in the constructor
    private final Set<Direction> keeps;

    LeaderFaultPoint(String writes, Direction at, Set<Direction> keeps) {
        this.writes = writes;
        this.at = at;
        this.keeps = Set.copyOf(keeps);
    }

    /**
     * Whether a transaction is the one in question.
     *
     * @param statements of the transaction, as they were sent
     */
    public boolean isIn(List<String> statements) {
        return statements.stream().anyMatch(each -> each.startsWith(writes));
    }

    /** Whether it is reached with the COMMIT, or else with its answer. */
    public Direction at() {
        return at;
    }

    /** What does not get through to or from PostgreSQL from there on. */
    public Set<Direction> keeps() {
        return keeps;
    }

    /** Whether it is whoever takes over that comes there, and not who leads already. */
    public boolean isOnTakeover() {
        return writes.equals(EPOCH);
    }
}
