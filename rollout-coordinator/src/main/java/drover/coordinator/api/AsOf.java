package drover.coordinator.api;

import com.google.protobuf.Timestamp;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.DateTimeException;
import java.time.Instant;

/** Reads the moment that an explanation is asked for. */
final class AsOf {
    private AsOf() {}

    /**
     * The moment; refused when it is in the future.
     *
     * @param now the database's time
     */
    static Instant parse(Timestamp asked, Instant now) {
        Instant at;
        try {
            at = Instant.ofEpochSecond(asked.getSeconds(), asked.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw refused("as_of is no time; write it like 2026-01-31T12:00:00Z.");
        }
        if (at.isAfter(now)) {
            throw refused(
                    "as_of "
                            + at
                            + " is in the future; give a past time, or leave it out for now.");
        }
        return at;
    }

    static Refused refused(String sentence) {
        return new Refused(RefusalCode.INVALID_FIELD, sentence, "as_of");
    }
}
