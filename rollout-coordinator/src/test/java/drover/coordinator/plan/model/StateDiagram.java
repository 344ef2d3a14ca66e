package drover.coordinator.plan.model;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads a state machine out of its sealed types: the types are the transition table (A17). */
public final class StateDiagram {
    private StateDiagram() {}

    /** A move from one status to another. */
    public record Move(String from, String to) implements Comparable<Move> {
        @Override
        public int compareTo(Move other) {
            return (from + " " + to).compareTo(other.from + " " + other.to);
        }
    }

    /** Every legal move: a public method of a state that returns a state. */
    public static Set<Move> moves(Class<?> family) {
        return states(family)
                .flatMap(
                        from ->
                                Arrays.stream(from.getMethods())
                                        .filter(method -> isMove(method, family))
                                        .flatMap(method -> states(method.getReturnType()))
                                        .map(to -> new Move(word(from), word(to))))
                .filter(move -> !move.from().equals(move.to()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Every legal move of a batch. */
    public static Set<Move> batchMoves() {
        return Arrays.stream(BatchPhase.values())
                .flatMap(
                        from ->
                                from.next().stream()
                                        .map(
                                                to ->
                                                        new Move(
                                                                StateNameFormatter.of(from),
                                                                StateNameFormatter.of(to))))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The diagram as Mermaid. */
    public static String mermaid(Set<Move> moves) {
        return moves.stream()
                .map(move -> "    " + move.from() + " --> " + move.to() + "\n")
                .collect(Collectors.joining("", "stateDiagram-v2\n    [*] --> pending\n", ""));
    }

    private static Stream<Class<?>> states(Class<?> type) {
        return type.isRecord()
                ? Stream.of(type)
                : Arrays.stream(type.getPermittedSubclasses())
                        .flatMap(StateDiagram::states)
                        .distinct();
    }

    /** Accessors of components are no moves; bridges say the same twice. */
    private static boolean isMove(Method method, Class<?> family) {
        boolean component =
                method.getDeclaringClass().isRecord()
                        && Arrays.stream(method.getDeclaringClass().getRecordComponents())
                                .anyMatch(part -> part.getAccessor().equals(method));
        return family.isAssignableFrom(method.getReturnType())
                && !Modifier.isStatic(method.getModifiers())
                && !method.isBridge()
                && !component;
    }

    private static String word(Class<?> state) {
        return state.getSimpleName()
                .replaceAll("(?<=[a-z])(?=[A-Z])", "_")
                .toLowerCase(java.util.Locale.ROOT);
    }
}
