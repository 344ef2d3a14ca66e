package drover.kit.rest.json;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Timestamp;
import drover.kit.grpc.Refused;
import drover.kit.text.DurationTextCodec;
import drover.kit.text.NearestName;
import drover.model.RefusalCode;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Turns a JSON tree into a message, refusing what the message's type does not know. */
final class ProtoJsonReader {
    private static final long LAST_SECOND = 253_402_300_799L; // of the year 9999, as contracts say

    private ProtoJsonReader() {}

    static DynamicMessage readMessage(JsonNode object, Descriptor type, String path) {
        if (!object.isObject()) {
            throw ScalarReader.wrongType(path, "a JSON object");
        }
        DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            FieldDescriptor field = requireField(entry.getKey(), type, path);
            if (!entry.getValue().isNull()) { // null says: not set
                requireOneofUnset(builder, field, path);
                setField(builder, field, entry.getValue(), join(path, entry.getKey()));
            }
        }
        return builder.build();
    }

    /** The field of that name, or the refusal UNKNOWN_FIELD. */
    static FieldDescriptor requireField(String name, Descriptor type, String path) {
        FieldDescriptor field = type.findFieldByName(name);
        if (field != null) {
            return field;
        }
        var names = type.getFields().stream().map(FieldDescriptor::getName).toList();
        String hint =
                NearestName.of(name, names)
                        .map(near -> "did you mean '" + near + "'?")
                        .orElse(
                                names.isEmpty()
                                        ? "none is taken here."
                                        : "known are " + String.join(", ", names) + ".");
        String whole = join(path, name);
        throw new Refused(
                RefusalCode.UNKNOWN_FIELD, "There is no field '" + whole + "'; " + hint, whole);
    }

    private static void requireOneofUnset(
            DynamicMessage.Builder builder, FieldDescriptor field, String path) {
        var choice = field.getRealContainingOneof();
        if (choice != null && builder.hasOneof(choice)) {
            String other = builder.getOneofFieldDescriptor(choice).getName();
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "Give either '" + other + "' or '" + field.getName() + "', not both.",
                    join(path, field.getName()));
        }
    }

    private static void setField(
            DynamicMessage.Builder builder, FieldDescriptor field, JsonNode value, String path) {
        if (field.isMapField()) {
            readMap(builder, field, value, path);
        } else if (field.isRepeated()) {
            readList(builder, field, value, path);
        } else {
            builder.setField(field, readSingular(field, value, path));
        }
    }

    private static void readList(
            DynamicMessage.Builder builder, FieldDescriptor field, JsonNode value, String path) {
        if (!value.isArray()) {
            throw ScalarReader.wrongType(path, "a JSON array");
        }
        for (int i = 0; i < value.size(); i++) {
            builder.addRepeatedField(
                    field, readSingular(field, value.get(i), path + "[" + i + "]"));
        }
    }

    private static void readMap(
            DynamicMessage.Builder builder, FieldDescriptor field, JsonNode value, String path) {
        if (!value.isObject()) {
            throw ScalarReader.wrongType(path, "a JSON object");
        }
        Descriptor entryType = field.getMessageType();
        FieldDescriptor keyField = entryType.findFieldByNumber(1);
        FieldDescriptor valueField = entryType.findFieldByNumber(2);
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            String place = path + "[\"" + entry.getKey() + "\"]";
            builder.addRepeatedField(
                    field,
                    DynamicMessage.newBuilder(entryType)
                            .setField(
                                    keyField,
                                    ScalarReader.fromText(keyField, entry.getKey(), place))
                            .setField(valueField, readSingular(valueField, entry.getValue(), place))
                            .build());
        }
    }

    private static Object readSingular(FieldDescriptor field, JsonNode value, String path) {
        if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
            return ScalarReader.read(field, value, path);
        }
        return switch (field.getMessageType().getFullName()) {
            case "google.protobuf.Duration" ->
                    duration(ScalarReader.requireText(value, path), path);
            case "google.protobuf.Timestamp" ->
                    timestamp(ScalarReader.requireText(value, path), path);
            default -> readMessage(value, field.getMessageType(), path);
        };
    }

    /** A single value given as text, as query parameters and path segments are. */
    static Object fromText(FieldDescriptor field, String text, String path) {
        if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
            return ScalarReader.fromText(field, text, path);
        }
        return switch (field.getMessageType().getFullName()) {
            case "google.protobuf.Duration" -> duration(text, path);
            case "google.protobuf.Timestamp" -> timestamp(text, path);
            default -> throw ScalarReader.wrongType(path, "sent in a body, not in the address");
        };
    }

    private static com.google.protobuf.Duration duration(String text, String path) {
        return DurationTextCodec.parse(text)
                .map(
                        duration ->
                                com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(duration.getSeconds())
                                        .setNanos(duration.getNano())
                                        .build())
                .orElseThrow(
                        () ->
                                ScalarReader.wrongType(
                                        path, "a duration such as " + DurationTextCodec.EXAMPLES));
    }

    private static Timestamp timestamp(String text, String path) {
        try {
            Instant instant = OffsetDateTime.parse(text).toInstant();
            if (Math.abs(instant.getEpochSecond()) <= LAST_SECOND) {
                return Timestamp.newBuilder()
                        .setSeconds(instant.getEpochSecond())
                        .setNanos(instant.getNano())
                        .build();
            }
        } catch (DateTimeException e) {
            throw ScalarReader.wrongType(
                    path, "a time such as 2026-01-31T12:00:00Z"); // says it all
        }
        throw ScalarReader.wrongType(path, "a time such as 2026-01-31T12:00:00Z");
    }

    static String join(String path, String name) {
        return path.isEmpty() ? name : path + "." + name;
    }
}
