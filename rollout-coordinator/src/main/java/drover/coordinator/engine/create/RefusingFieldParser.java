package drover.coordinator.engine.create;

import drover.kit.grpc.Refused;
import drover.model.MalformedValue;
import drover.model.NodePath;
import drover.model.RefusalCode;
import java.util.function.Function;

/** Parses texts of a request into the vocabulary, naming the field that is wrong. */
public final class RefusingFieldParser {
    private RefusingFieldParser() {}

    /** Parses one field, or refuses it by name. */
    public static <T> T parse(String field, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (MalformedValue e) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD, field + ": " + e.getMessage() + ".", field);
        }
    }

    /**
     * Parses a path on a node, or refuses it by name: nothing outside a node's root is touched
     * (H11).
     */
    static NodePath parsePath(String field, String text) {
        try {
            return new NodePath(text);
        } catch (MalformedValue e) {
            throw new Refused(
                    RefusalCode.PATH_OUTSIDE_ROOT, field + ": " + e.getMessage() + ".", field);
        }
    }
}
