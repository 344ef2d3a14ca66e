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
public record Outbox(Map<Kind, AgentMessage> waiting) {
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
        COMMAND,
        /** Gives way to work: whoever asks for it takes no answer for one, and asks again. */
        PREFLIGHT,
        /** Request of a log; after work, because it changes nothing. */
        READ_LOG,
        /** Last: the agent hangs up when it hears it. */
        RECONNECT
    }

    /** Nothing waits. */
    public static final Outbox EMPTY = new Outbox(Map.of());

    public Outbox {
        waiting = Map.copyOf(waiting);
    }

    /** The outbox once this waits too; it replaces what waits of its kind. */
    public Outbox with(AgentMessage outgoing) {
        Map<Kind, AgentMessage> next = new EnumMap<>(Kind.class);
        next.putAll(waiting);
        next.merge(kindOf(outgoing), outgoing, Outbox::pickLater);
        if (next.containsKey(Kind.COMMAND)) {
            next.remove(Kind.PREFLIGHT); // each may carry 512 KiB, and one of them is on its way
        }
        return new Outbox(next);
    }

    /** What is told next. */
    public Optional<AgentMessage> next() {
        return waiting.keySet().stream().sorted().findFirst().map(waiting::get);
    }

    /** The outbox once this was told. */
    public Outbox without(AgentMessage received) {
        Map<Kind, AgentMessage> next = new EnumMap<>(Kind.class);
        next.putAll(waiting);
        next.remove(kindOf(received), received);
        return new Outbox(next);
    }

    /** The latest is what was offered last; only acknowledgements carry an order of their own. */
    private static AgentMessage pickLater(AgentMessage present, AgentMessage offered) {
        if (present instanceof AgentMessage.Acknowledgement held
                && offered instanceof AgentMessage.Acknowledgement fresh) {
            boolean older =
                    held.attempt() == fresh.attempt()
                            ? held.sequence() > fresh.sequence()
                            : held.attempt() > fresh.attempt();
            return older ? present : offered;
        }
        return offered;
    }

    private static Kind kindOf(AgentMessage outgoing) {
        return switch (outgoing) {
            case AgentMessage.Welcome _ -> Kind.WELCOME;
            case AgentMessage.Acknowledgement _ -> Kind.ACKNOWLEDGEMENT;
            case AgentMessage.Withdrawal _ -> Kind.WITHDRAWAL;
            case AgentMessage.Stop _ -> Kind.STOP;
            case AgentMessage.Command _ -> Kind.COMMAND;
            case AgentMessage.Preflight _ -> Kind.PREFLIGHT;
            case AgentMessage.ReadLog _ -> Kind.READ_LOG;
            case AgentMessage.Reconnect _ -> Kind.RECONNECT;
        };
    }
}
