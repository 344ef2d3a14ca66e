package drover.kit.rest.json;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import drover.kit.grpc.Refused;
import drover.kit.text.DurationTextCodec;
import drover.model.RefusalCode;
import java.io.StringWriter;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes any message of the contracts as the JSON of REST.
 *
 * <p>Field names are those of the contracts ({@code snake_case}). Written: numbers and booleans
 * always, lists and maps even when empty; left out: empty strings and bytes, messages that are not
 * set, enum values that say nothing. 64-bit numbers are JSON numbers up to 2^53 and strings beyond,
 * where JavaScript would round them; both are read. Enums are {@link EnumNames}, durations {@link
 * DurationTextCodec}, times RFC 3339, bytes base64.
 */
public final class ProtoJson {
    private static final int DEEPEST = 32; // the contracts nest 6 deep; beyond this is an attack

    private static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(DEEPEST)
                                                    .build())
                                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                                    .build())
                    .build();

    private ProtoJson() {}

    /**
     * Reads a message of the type given; no text at all reads as an empty message.
     *
     * @throws Refused BODY_NOT_JSON, UNKNOWN_FIELD, UNKNOWN_VALUE or INVALID_FIELD, naming the
     *     place as a JSON path such as {@code config_changes[0].template}
     */
    public static DynamicMessage read(byte[] json, Descriptor type) {
        if (json.length == 0) {
            return DynamicMessage.getDefaultInstance(type);
        }
        JsonNode tree = parse(json);
        if (!tree.isObject()) {
            throw new Refused(
                    RefusalCode.BODY_NOT_JSON,
                    "The body must be one JSON object, for example {\"reason\":\"maintenance\"}.");
        }
        return ProtoJsonReader.readMessage(tree, type, "");
    }

    /**
     * The field of that name.
     *
     * @throws Refused UNKNOWN_FIELD, with the name that was probably meant
     */
    public static FieldDescriptor requireField(String name, Descriptor type) {
        return ProtoJsonReader.requireField(name, type, "");
    }

    /**
     * Reads one value of a field from plain text, as addresses carry it.
     *
     * @throws Refused INVALID_FIELD or UNKNOWN_VALUE, naming the field
     */
    public static Object readText(FieldDescriptor field, String text) {
        return ProtoJsonReader.fromText(field, text, field.getName());
    }

    /** Writes a message as one line of JSON. */
    public static String write(Message message) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            new ProtoJsonWriter(generator).writeMessage(message);
        }
        return text.toString();
    }

    /** Whether {@link #write} writes this field whatever its value. */
    public static boolean isAlwaysWritten(FieldDescriptor field) {
        return ProtoJsonWriter.isAlwaysWritten(field);
    }

    private static JsonNode parse(byte[] json) {
        try {
            return JSON.readTree(json);
        } catch (JacksonException e) {
            String where =
                    e.getLocation() == null || e.getLocation().getLineNr() < 1
                            ? ""
                            : " at line %d, column %d"
                                    .formatted(
                                            e.getLocation().getLineNr(),
                                            e.getLocation().getColumnNr());
            throw new Refused(RefusalCode.BODY_NOT_JSON, "The body is not JSON" + where + ".");
        }
    }
}
