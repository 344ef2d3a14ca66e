package drover.gateway.session;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * What waits to be told to one agent: at most one of each kind, the latest, and of those that carry
 * contents one in all, so that an agent that never reads costs so much and no more (invariant I3).
 *
 * @param waiting what waits, by kind
 */
public record Outbox(Map<Kind, Outgoing> waiting) {
    /** Kinds, in the order in which they are told. */
    public enum Kind {
        /** The agent expects it before anything else. */
        WELCOME,
        /** Small, and frees the agent's slot. */
        ACKNOWLEDGEMENT,
        /** Before work: a withdrawal through n never takes back n + 1, and always n. */
        WITHDRAWAL,
        /** Before work: an agent that goes takes on no more. */
        STOP,
        /** What the node is there for. */
        WORK,
        /** Gives way to work: whoever asks for it takes no answer for one, and asks again. */
        PREFLIGHT,
        /** Last: the agent hangs up when it hears it. */
        GO_ELSEWHERE
    }

    /** Nothing waits. */
    public static final Outbox EMPTY = new Outbox(Map.of());

    public Outbox {
        waiting = Map.copyOf(waiting);
    }

    /** The outbox once this waits too; it replaces what waits of its kind. */
    public Outbox with(Outgoing outgoing) {
        Map<Kind, Outgoing> next = new EnumMap<>(Kind.class);
        next.putAll(waiting);
        next.merge(kindOf(outgoing), outgoing, Outbox::later);
        if (next.containsKey(Kind.WORK)) {
            next.remove(Kind.PREFLIGHT); // each may carry 512 KiB, and one of them is on its way
        }
        return new Outbox(next);
    }

    /** What is told next. */
    public Optional<Outgoing> first() {
        return waiting.keySet().stream().sorted().findFirst().map(waiting::get);
    }

    /** The outbox once this was told. */
    public Outbox without(Outgoing told) {
        Map<Kind, Outgoing> next = new EnumMap<>(Kind.class);
        next.putAll(waiting);
        next.remove(kindOf(told), told);
        return new Outbox(next);
    }

    /** The latest is what was offered last; only acknowledgements carry an order of their own. */
    private static Outgoing later(Outgoing present, Outgoing offered) {
        if (present instanceof Outgoing.Acknowledgement held
                && offered instanceof Outgoing.Acknowledgement fresh) {
            boolean older =
                    held.attempt() == fresh.attempt()
                            ? held.sequence() > fresh.sequence()
                            : held.attempt() > fresh.attempt();
            return older ? present : offered;
        }
        return offered;
    }

    private static Kind kindOf(Outgoing outgoing) {
        return switch (outgoing) {
            case Outgoing.Welcome _ -> Kind.WELCOME;
            case Outgoing.Acknowledgement _ -> Kind.ACKNOWLEDGEMENT;
            case Outgoing.Withdrawal _ -> Kind.WITHDRAWAL;
            case Outgoing.Stop _ -> Kind.STOP;
            case Outgoing.Work _ -> Kind.WORK;
            case Outgoing.Preflight _ -> Kind.PREFLIGHT;
            case Outgoing.GoElsewhere _ -> Kind.GO_ELSEWHERE;
        };
    }
}
