package drover.coordinator.api;

import drover.coordinator.engine.create.RefusingFieldParser;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import io.grpc.stub.StreamObserver;
import java.util.UUID;

/** Parts that all gRPC services share: ids in requests, and the response of a unary call. */
public final class RolloutIdCallHelpers {
    private RolloutIdCallHelpers() {}

    /** Sends the only response of a call. */
    public static <T> void respond(StreamObserver<T> out, T message) {
        out.onNext(message);
        out.onCompleted();
    }

    /** Parses the field {@code rollout_id}. */
    public static RolloutId parseRolloutId(String text) {
        return RefusingFieldParser.parse("rollout_id", text, RolloutId::new);
    }

    /** Refuses an id that no rollout can have, without a database query. */
    public static void requireUuid(RolloutId id) {
        if (!isUuid(id.value())) {
            throw notFoundRefusal(id);
        }
    }

    public static Refused notFoundRefusal(RolloutId id) {
        return new Refused(
                RefusalCode.ROLLOUT_NOT_FOUND,
                "There is no rollout " + id + "; look at 'drover rollout list'.",
                "rollout_id");
    }

    /** Whether a text is a UUID in its canonical form; {@link UUID#fromString} accepts others. */
    public static boolean isUuid(String text) {
        try {
            return UUID.fromString(text).toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
