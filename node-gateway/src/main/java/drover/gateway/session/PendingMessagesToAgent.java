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
public record PendingMessagesToAgent(Map<Kind, MessageToAgent> waiting) {
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
    public static final PendingMessagesToAgent EMPTY = new PendingMessagesToAgent(Map.of());

    public PendingMessagesToAgent {
        waiting = Map.copyOf(waiting);
    }

    /** The outbox once this waits too; it replaces what waits of its kind. */
    public PendingMessagesToAgent with(MessageToAgent outgoing) {
        Map<Kind, MessageToAgent> next = new EnumMap<>(Kind.class);
        next.putAll(waiting);
        next.merge(kindOf(outgoing), outgoing, PendingMessagesToAgent::pickLater);
        if (next.containsKey(Kind.COMMAND)) {
            next.remove(Kind.PREFLIGHT); // each may carry 512 KiB, and one of them is on its way
        }
        return new PendingMessagesToAgent(next);
    }

    /** What is told next. */
    public Optional<MessageToAgent> peek() {
        return waiting.keySet().stream().sorted().findFirst().map(waiting::get);
    }

    /** The outbox once this was told. */
    public PendingMessagesToAgent without(MessageToAgent received) {
        Map<Kind, MessageToAgent> next = new EnumMap<>(Kind.class);
        next.putAll(waiting);
        next.remove(kindOf(received), received);
        return new PendingMessagesToAgent(next);
    }

    /** The latest is what was offered last; only acknowledgements carry an order of their own. */
    private static MessageToAgent pickLater(MessageToAgent present, MessageToAgent offered) {
        if (present instanceof MessageToAgent.Acknowledgement held
                && offered instanceof MessageToAgent.Acknowledgement fresh) {
            boolean older =
                    held.attempt() == fresh.attempt()
                            ? held.sequence() > fresh.sequence()
                            : held.attempt() > fresh.attempt();
            return older ? present : offered;
        }
        return offered;
    }

    private static Kind kindOf(MessageToAgent outgoing) {
        return switch (outgoing) {
            case MessageToAgent.Welcome _ -> Kind.WELCOME;
            case MessageToAgent.Acknowledgement _ -> Kind.ACKNOWLEDGEMENT;
            case MessageToAgent.Withdrawal _ -> Kind.WITHDRAWAL;
            case MessageToAgent.ExitForSuccessor _ -> Kind.STOP;
            case MessageToAgent.Command _ -> Kind.COMMAND;
            case MessageToAgent.PreflightCommand _ -> Kind.PREFLIGHT;
            case MessageToAgent.ReadLog _ -> Kind.READ_LOG;
            case MessageToAgent.Reconnect _ -> Kind.RECONNECT;
        };
    }
}
