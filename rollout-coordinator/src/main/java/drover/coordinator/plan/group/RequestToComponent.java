package drover.coordinator.plan.group;

import drover.coordinator.plan.request.OperatorRequest;
import drover.model.GroupId;

/**
 * What a group asks of one of its components. Repeating it is harmless: its key says for which
 * component, in which step and what, so that it is written down once.
 *
 * @param attempt grows when an earlier one waited too long and was dropped; 0 at first
 */
public record RequestToComponent(int component, long step, OperatorRequest request, int attempt) {
    private static final String ACTOR = "group:";

    /** Its idempotency key, unique for the group as the actor. */
    public String idempotencyKey() {
        return component
                + "/"
                + step
                + "/"
                + request.getClass().getSimpleName()
                + (attempt == 0 ? "" : "/" + attempt);
    }

    RequestToComponent asRetry() {
        return new RequestToComponent(component, step, request, attempt + 1);
    }

    /** Who asks, as the rollout's history names it. */
    public static String groupActor(GroupId group) {
        return groupActor(group.value());
    }

    static String groupActor(String group) {
        return ACTOR + group;
    }

    /** How a request of a group stands. */
    public sealed interface Status {
        /** It was not written down. */
        record NotRequested() implements Status {}

        /** The rollout's loop has not decided. */
        record Pending() implements Status {}

        /** The rollout did it. */
        record Applied() implements Status {}

        /** The rollout refused. */
        record Refused(drover.model.RefusalCode code, String sentence) implements Status {}
    }
}
