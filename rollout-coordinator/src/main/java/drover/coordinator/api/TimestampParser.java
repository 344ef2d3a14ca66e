package drover.coordinator.api;

import com.google.protobuf.Timestamp;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.DateTimeException;
import java.time.Instant;

/** Reads moments as asked, and the one that an explanation is asked for. */
public final class TimestampParser {
    private TimestampParser() {}

    /**
     * The moment; refused when it is in the future.
     *
     * @param now the database's time
     */
    public static Instant parseAsOf(Timestamp requested, Instant now) {
        Instant at = parseTime(requested, "as_of");
        if (at.isAfter(now)) {
            throw invalidAsOfRefusal(
                    "as_of "
                            + at
                            + " is in the future; give a past time, or leave it out for now.");
        }
        return at;
    }

    /** A moment as asked; refused when there is no such moment. */
    public static Instant parseTime(Timestamp requested, String field) {
        try {
            return Instant.ofEpochSecond(requested.getSeconds(), requested.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    field + " is no time; write it like 2026-01-31T12:00:00Z.",
                    field);
        }
    }

    public static Refused invalidAsOfRefusal(String sentence) {
        return new Refused(RefusalCode.INVALID_FIELD, sentence, "as_of");
    }
}
