package drover.manifest.api;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.function.Function;

/** Parses fields of requests into types, once, at the door. */
final class RequestFieldParser {
    private RequestFieldParser() {}

    /** A required field; refused with its name when it is empty or malformed. */
    static <T> T parseRequired(String field, String text, Function<String, T> type) {
        if (text.isEmpty()) {
            throw new Refused(
                    RefusalCode.MISSING_FIELD, "The field " + field + " is required.", field);
        }
        return parseOrRefuse(field, text, type);
    }

    /** A field that is not empty; refused with its name when it is malformed. */
    static <T> T parseOrRefuse(String field, String text, Function<String, T> type) {
        try {
            return type.apply(text);
        } catch (IllegalArgumentException e) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD, field + ": " + e.getMessage() + ".", field);
        }
    }
}
