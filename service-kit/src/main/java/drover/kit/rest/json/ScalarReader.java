package drover.kit.rest.json;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.math.BigInteger;
import java.util.Base64;
import tools.jackson.databind.JsonNode;

/** Reads values that are neither messages nor lists. */
final class ScalarReader {
    private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);
    private static final int LONGEST_NUMBER = 24; // digits of the widest 64-bit number, with room

    private ScalarReader() {}

    static Object read(FieldDescriptor field, JsonNode value, String path) {
        return switch (field.getJavaType()) {
            case INT, LONG -> {
                boolean written =
                        value.isString() && field.getJavaType() == FieldDescriptor.JavaType.LONG;
                if (!value.isIntegralNumber() && !written) {
                    throw wrongType(path, "a whole number");
                }
                yield written
                        ? fromText(field, value.stringValue(), path)
                        : toIntegerInRange(field, value.bigIntegerValue(), path);
            }
            case FLOAT, DOUBLE -> {
                if (!value.isNumber()) {
                    throw wrongType(path, "a number");
                }
                yield toFloatOrDouble(field, value.doubleValue());
            }
            case BOOLEAN -> {
                if (!value.isBoolean()) {
                    throw wrongType(path, "true or false");
                }
                yield value.booleanValue();
            }
            case STRING, BYTE_STRING, ENUM -> fromText(field, requireText(value, path), path);
            case MESSAGE -> throw new IllegalStateException("no scalar: " + field.getFullName());
        };
    }

    static Object fromText(FieldDescriptor field, String text, String path) {
        return switch (field.getJavaType()) {
            case INT, LONG -> {
                if (text.length() > LONGEST_NUMBER || !text.matches("-?[0-9]+")) {
                    throw wrongType(path, "a whole number");
                }
                yield toIntegerInRange(field, new BigInteger(text), path);
            }
            case FLOAT, DOUBLE -> {
                try {
                    yield toFloatOrDouble(field, Double.parseDouble(text));
                } catch (NumberFormatException e) {
                    throw wrongType(path, "a number"); // the text is in the caller's hands
                }
            }
            case BOOLEAN ->
                    switch (text) {
                        case "true" -> true;
                        case "false" -> false;
                        default -> throw wrongType(path, "true or false");
                    };
            case STRING -> text;
            case BYTE_STRING -> decodeBase64(text, path);
            case ENUM ->
                    EnumNames.parse(field.getEnumType(), text)
                            .orElseThrow(() -> unknownValue(field, text, path));
            case MESSAGE -> throw new IllegalStateException("no scalar: " + field.getFullName());
        };
    }

    static String requireText(JsonNode value, String path) {
        if (!value.isString()) {
            throw wrongType(path, "a text in quotation marks");
        }
        return value.stringValue();
    }

    static Refused wrongType(String path, String wanted) {
        return new Refused(
                RefusalCode.INVALID_FIELD,
                "The field '" + path + "' must be " + wanted + ".",
                path);
    }

    private static Object toIntegerInRange(FieldDescriptor field, BigInteger number, String path) {
        boolean unsigned =
                switch (field.getType()) {
                    case UINT32, FIXED32, UINT64, FIXED64 -> true;
                    default -> false;
                };
        boolean narrow = field.getJavaType() == FieldDescriptor.JavaType.INT;
        BigInteger span = narrow ? BigInteger.ONE.shiftLeft(32) : TWO_TO_64;
        BigInteger lowest = unsigned ? BigInteger.ZERO : span.shiftRight(1).negate();
        BigInteger highest = lowest.add(span).subtract(BigInteger.ONE);
        if (number.compareTo(lowest) < 0 || number.compareTo(highest) > 0) {
            throw wrongType(path, "a whole number from " + lowest + " to " + highest);
        }
        return narrow ? (Object) number.intValue() : (Object) number.longValue();
    }

    private static Object toFloatOrDouble(FieldDescriptor field, double number) {
        return field.getJavaType() == FieldDescriptor.JavaType.FLOAT
                ? (Object) (float) number
                : (Object) number;
    }

    private static ByteString decodeBase64(String text, String path) {
        try {
            return ByteString.copyFrom(Base64.getDecoder().decode(text));
        } catch (IllegalArgumentException e) {
            throw wrongType(path, "bytes written as base64"); // the text is in the caller's hands
        }
    }

    private static Refused unknownValue(FieldDescriptor field, String text, String path) {
        var allowed = EnumNames.allowedNames(field.getEnumType());
        String shown = text.length() > 60 ? text.substring(0, 60) + "…" : text;
        return new Refused(
                RefusalCode.UNKNOWN_VALUE,
                "The field '%s' has the value '%s'; allowed are %s."
                        .formatted(path, shown, String.join(", ", allowed)),
                path);
    }
}
