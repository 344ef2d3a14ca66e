package drover.coordinator.api;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;

/** Parses how many entries a request wants: page sizes and limits of a history. */
public final class PageSizeParser {
    private PageSizeParser() {}

    /**
     * Parses the field, or refuses it by name.
     *
     * @param requested 0 for the default; negative if the uint32 of the request is large
     */
    public static int parse(String field, int requested, int usual, int most) {
        if (requested < 0 || requested > most) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    field + " is at most " + most + "; 0 is the default.",
                    field);
        }
        return requested == 0 ? usual : requested;
    }
}
