package drover.system.fault;

import static java.util.stream.Collectors.toUnmodifiableList;

import drover.system.fault.Fault.CommitsUnanswered;
import drover.system.fault.Fault.Cut;
import drover.system.fault.Fault.Direction;
import drover.system.fault.Fault.Frozen;
import drover.system.fault.Fault.Held;
import drover.system.fault.Fault.Killed;
import drover.system.fault.Fault.Lost;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What is done to a mesh: a fixed list of short bouts; one pass over everything there is, each for
 * as long as anything may be away; and as many bouts drawn by lot as one likes, each wholly told by
 * a seed and its number.
 */
public final class FaultPlan {
    /** What issue and invariants allow anything to be away without a node failing for it. */
    public static final Duration LONGEST = Duration.ofMinutes(2);

    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST_LEAD = Duration.ofSeconds(10); // of two, before the other

    private static final List<Fault> ALL =
            Stream.of(
                            Stream.of(
                                            "coordinator-1",
                                            "coordinator-2",
                                            "gateway-1",
                                            "gateway-2",
                                            "health-1",
                                            "health-2",
                                            "manifest-1",
                                            "manifest-2",
                                            "etcd-1",
                                            "etcd-2",
                                            "etcd-3",
                                            NetworkPath.POSTGRES)
                                    .flatMap(
                                            process ->
                                                    Stream.of(
                                                            new Killed(process),
                                                            new Frozen(process))),
                            NetworkPath.all().flatMap(FaultPlan::on))
                    .flatMap(faults -> faults)
                    .collect(toUnmodifiableList());

    private FaultPlan() {}

    /**
     * Faults that overlap; the mesh comes to rest before the next bout.
     *
     * @param number tells it, together with the seed
     */
    public record FaultEpisode(int number, List<Turn> turns) {
        public FaultEpisode {
            turns = List.copyOf(turns);
        }
    }

    /**
     * One fault in a bout.
     *
     * @param after how long after the beginning of the bout
     * @param unavailableFor how long until it is undone
     */
    public record Turn(Fault fault, Duration after, Duration unavailableFor) {
        /** When it is undone, after the beginning of the bout. */
        public Duration until() {
            return after.plus(unavailableFor);
        }

        @Override
        public String toString() {
            return fault
                    + " for "
                    + unavailableFor.toMillis()
                    + " ms, after "
                    + after.toMillis()
                    + " ms";
        }
    }

    private static Stream<Fault> on(NetworkPath edge) {
        Stream<Fault> usual =
                Stream.concat(
                        Stream.of(new Cut(edge)),
                        Stream.of(Direction.values())
                                .flatMap(
                                        way ->
                                                Stream.of(
                                                        new Held(edge, way), new Lost(edge, way))));
        return edge.to().equals(NetworkPath.POSTGRES)
                ? Stream.concat(usual, Stream.of(new CommitsUnanswered(edge)))
                : usual;
    }

    /** Short bouts: everything that heals within seconds. */
    public static List<FaultEpisode> brief() {
        NetworkPath leaderToPostgres = new NetworkPath(NetworkPath.LEADER, NetworkPath.POSTGRES);
        List<List<Turn>> bouts =
                List.of(
                        List.of(now(new Killed("etcd-1"), 3), now(new Killed("gateway-1"), 2)),
                        List.of(now(new Killed("etcd-1"), 8), now(new Killed("etcd-2"), 8)),
                        List.of(now(new Killed(NetworkPath.POSTGRES), 1)),
                        List.of(now(new Frozen(NetworkPath.POSTGRES), 3)),
                        List.of(
                                now(new CommitsUnanswered(leaderToPostgres), 2),
                                now(
                                        new CommitsUnanswered(
                                                new NetworkPath("gateway-1", NetworkPath.POSTGRES)),
                                        2)),
                        List.of(
                                now(new Cut(leaderToPostgres), 2),
                                now(
                                        new Cut(new NetworkPath("gateway-2", NetworkPath.POSTGRES)),
                                        2)),
                        List.of(
                                now(held(NetworkPath.LEADER, "etcd-1", Direction.ANSWERS), 8),
                                now(held(NetworkPath.LEADER, "etcd-2", Direction.ANSWERS), 8),
                                now(held(NetworkPath.LEADER, "etcd-3", Direction.ANSWERS), 8)),
                        List.of(
                                now(held(NetworkPath.LEADER, "gateway-1", Direction.QUESTIONS), 2),
                                now(held("health-1", "gateway-2", Direction.ANSWERS), 2)),
                        List.of(
                                now(held(NetworkPath.AGENTS, "gateway-1", Direction.ANSWERS), 2),
                                now(held(NetworkPath.AGENTS, "gateway-2", Direction.QUESTIONS), 2)),
                        List.of(
                                now(new Cut(new NetworkPath(NetworkPath.LEADER, "health-1")), 2),
                                now(new Cut(new NetworkPath("health-2", "gateway-1")), 2)));
        return Stream.iterate(0, number -> number < bouts.size(), number -> number + 1)
                .map(number -> new FaultEpisode(number, bouts.get(number)))
                .toList();
    }

    private static Fault held(String from, String to, Direction direction) {
        return new Held(new NetworkPath(from, to), direction);
    }

    private static Turn now(Fault fault, int seconds) {
        return new Turn(fault, Duration.ZERO, Duration.ofSeconds(seconds));
    }

    /** One pass: everything there is by itself, each for as long as anything may be away. */
    public static List<FaultEpisode> singly() {
        return IntStream.range(0, ALL.size())
                .mapToObj(number -> new FaultEpisode(number, List.of(longest(ALL.get(number)))))
                .toList();
    }

    /** Two that are drawn by lot, both for as long as anything may be away, at the same time. */
    public static FaultEpisode pair(long seed, int number) {
        Random random = random(seed, number);
        Fault first = drawn(random, ALL);
        Fault second = drawn(random, ALL.stream().filter(it -> goesWith(first, it)).toList());
        return new FaultEpisode(number, List.of(longest(first), longest(second)));
    }

    private static Turn longest(Fault fault) {
        return new Turn(fault, Duration.ZERO, LONGEST);
    }

    private static Fault drawn(Random random, List<Fault> faults) {
        return faults.get(random.nextInt(faults.size()));
    }

    private static Random random(long seed, int number) {
        Random random = new Random(seed * 1_000_003 + number);
        random.nextLong(); // the first draws of neighbouring seeds are alike
        return random;
    }

    /** One of the long list: one fault, or two that overlap, each away for up to two minutes. */
    public static FaultEpisode bout(long seed, int number) {
        Random random = random(seed, number);
        Turn first = turn(random, ALL);
        if (random.nextBoolean()) {
            return new FaultEpisode(number, List.of(first));
        }
        List<Fault> others = ALL.stream().filter(fault -> goesWith(first.fault(), fault)).toList();
        Turn second = turn(random, others);
        Duration lead =
                LONGEST_LEAD.compareTo(first.unavailableFor()) < 0
                        ? LONGEST_LEAD
                        : first.unavailableFor();
        Duration after = between(random, Duration.ZERO, lead);
        return new FaultEpisode(
                number, List.of(first, new Turn(second.fault(), after, second.unavailableFor())));
    }

    private static Turn turn(Random random, List<Fault> faults) {
        Fault fault = drawn(random, faults);
        Duration longest = random.nextBoolean() ? LONGEST : LONGEST.dividedBy(8);
        return new Turn(fault, Duration.ZERO, between(random, SHORTEST, longest));
    }

    private static Duration between(Random random, Duration least, Duration most) {
        return least.plusMillis(random.nextLong(most.minus(least).toMillis() + 1));
    }

    /**
     * Not the same victim twice: one would undo the other. And not all agents from both gateways:
     * nodes that nobody can reach count as what they are, silent (invariant A7).
     */
    private static boolean goesWith(Fault first, Fault second) {
        boolean bothEndpoints =
                victim(first).startsWith("agents ") && victim(second).startsWith("agents ");
        return !victim(first).equals(victim(second)) && !bothEndpoints;
    }

    /** The process or the edge. */
    static String victim(Fault fault) {
        return switch (fault) {
            case Killed(String process) -> process;
            case Frozen(String process) -> process;
            case Cut(NetworkPath edge) -> edge.toString();
            case Held(NetworkPath edge, Direction _) -> edge.toString();
            case Lost(NetworkPath edge, Direction _) -> edge.toString();
            case CommitsUnanswered(NetworkPath edge) -> edge.toString();
        };
    }
}
