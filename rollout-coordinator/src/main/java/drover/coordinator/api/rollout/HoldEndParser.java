package drover.coordinator.api.rollout;

import drover.coordinator.api.TimestampParser;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.rollout.v1.HoldNodeRequest;
import java.time.Duration;
import java.time.Instant;

/** How long a node is held, as asked. */
final class HoldEndParser {
    private static final Duration DEFAULT = Duration.ofHours(24); // a working day, and its night
    private static final Duration LONGEST =
            Duration.ofDays(30); // longer than any rollout should be

    private HoldEndParser() {}

    static Instant parseUntilOrDefault(HoldNodeRequest request, Instant now) {
        if (!request.hasUntil()) {
            return now.plus(DEFAULT);
        }
        Instant until = TimestampParser.parseTime(request.getUntil(), "until");
        if (!until.isAfter(now) || until.isAfter(now.plus(LONGEST))) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "until is a moment to come, at most 30 days from now.",
                    "until");
        }
        return until;
    }
}
