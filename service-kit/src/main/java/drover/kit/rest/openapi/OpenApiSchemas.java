package drover.kit.rest.openapi;

import com.google.api.FieldBehavior;
import com.google.api.FieldBehaviorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.GenericDescriptor;
import drover.kit.rest.json.EnumNames;
import drover.kit.rest.json.ProtoJson;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schemas of messages and enums as {@link ProtoJson} reads and writes them. Whatever is asked
 * for, and all that it refers to, becomes a component.
 */
final class OpenApiSchemas {
    private static final String DURATION = "google.protobuf.Duration";
    private static final String TIMESTAMP = "google.protobuf.Timestamp";
    private static final long LARGEST_UNSIGNED = 0xFFFF_FFFFL;

    private final ProtoComments comments;
    private final MessageUsage sent;
    private final SortedMap<String, ObjectNode> components = new TreeMap<>();
    private final Map<String, String> owners = new HashMap<>(); // full names by component

    /**
     * @param sent what callers send, which is read more strictly than what they are told
     */
    OpenApiSchemas(ProtoComments comments, MessageUsage sent) {
        this.comments = comments;
        this.sent = sent;
    }

    /** All components so far, by name. */
    ObjectNode components() {
        ObjectNode all = JsonNodes.object();
        components.forEach(all::set);
        return all;
    }

    /** A component that no contract declares. */
    void add(String name, ObjectNode schema) {
        claimName(name, name);
        components.put(name, schema);
    }

    /** A reference to a message's schema. */
    ObjectNode addAndReference(Descriptor message) {
        return switch (message.getFullName()) {
            case DURATION -> addAndReferenceProtobufType("Duration", durationSchema());
            case TIMESTAMP -> addAndReferenceProtobufType("Timestamp", timestampSchema());
            default -> {
                String name = schemaName(message);
                if (claimName(name, message.getFullName())) {
                    components.put(name, JsonNodes.object()); // found while its own fields are read
                    components.put(name, messageSchema(message));
                }
                yield JsonNodes.reference("schemas/" + name);
            }
        };
    }

    /** A reference to an enum's schema. */
    ObjectNode addAndReference(EnumDescriptor type) {
        String name = schemaName(type);
        if (claimName(name, type.getFullName())) {
            components.put(name, enumSchema(type));
        }
        return JsonNodes.reference("schemas/" + name);
    }

    /** The schema of a field, with its comment. */
    ObjectNode fieldSchema(FieldDescriptor field) {
        ObjectNode schema;
        if (field.isMapField()) {
            FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
            schema = JsonNodes.object("type", "object");
            schema.set("additionalProperties", singularSchema(value));
        } else if (field.isRepeated()) {
            schema = JsonNodes.object("type", "array");
            schema.set("items", singularSchema(field));
        } else {
            schema = singularSchema(field);
        }
        return JsonNodes.addDescription(schema, comments.of(field));
    }

    private ObjectNode singularSchema(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case INT -> int32Schema(field);
            case LONG -> int64Schema(field);
            case FLOAT, DOUBLE -> JsonNodes.object("type", "number");
            case BOOLEAN -> JsonNodes.object("type", "boolean");
            case STRING -> JsonNodes.object("type", "string");
            case BYTE_STRING -> JsonNodes.object("type", "string").put("contentEncoding", "base64");
            case ENUM -> addAndReference(field.getEnumType());
            case MESSAGE -> addAndReference(field.getMessageType());
        };
    }

    private static ObjectNode int32Schema(FieldDescriptor field) {
        ObjectNode schema = JsonNodes.object("type", "integer");
        return switch (field.getType()) {
            case UINT32, FIXED32 -> schema.put("minimum", 0).put("maximum", LARGEST_UNSIGNED);
            default -> schema.put("format", "int32");
        };
    }

    /** Beyond 2^53, where JavaScript would round, it is a text of digits. */
    private static ObjectNode int64Schema(FieldDescriptor field) {
        ObjectNode schema = JsonNodes.object();
        schema.set("type", JsonNodes.texts(List.of("integer", "string")));
        return switch (field.getType()) {
            case UINT64, FIXED64 -> schema.put("minimum", 0).put("pattern", "^[0-9]+$");
            default -> schema.put("format", "int64").put("pattern", "^-?[0-9]+$");
        };
    }

    private ObjectNode messageSchema(Descriptor message) {
        ObjectNode schema = JsonNodes.object("type", "object");
        JsonNodes.addDescription(schema, comments.of(message));
        List<FieldDescriptor> fields =
                message.getFields().stream().filter(field -> !sent.isPathParameter(field)).toList();
        ObjectNode properties = schema.putObject("properties");
        fields.forEach(field -> properties.set(field.getName(), fieldSchema(field)));
        List<String> required =
                fields.stream().filter(this::isRequired).map(FieldDescriptor::getName).toList();
        if (!required.isEmpty()) {
            schema.set("required", JsonNodes.texts(required));
        }
        if (sent.isRequestOnly(message)) {
            schema.put("additionalProperties", false);
        }
        return schema;
    }

    /** What a caller must send, or can rely on to be told. */
    private boolean isRequired(FieldDescriptor field) {
        return sent.isSentByCallers(field.getContainingType())
                ? mustBeSent(field)
                : ProtoJson.isAlwaysWritten(field);
    }

    /** Whether the contract says that a request without it is refused. */
    static boolean mustBeSent(FieldDescriptor field) {
        return field.getOptions()
                .getExtension(FieldBehaviorProto.fieldBehavior)
                .contains(FieldBehavior.REQUIRED);
    }

    private ObjectNode enumSchema(EnumDescriptor type) {
        ObjectNode schema = JsonNodes.object("type", "string");
        String meanings =
                type.getValues().stream()
                        .filter(value -> value.getNumber() != 0)
                        .map(value -> "- `" + EnumNames.nameOf(value) + "`: " + comments.of(value))
                        .collect(Collectors.joining("\n"));
        schema.put("description", comments.of(type) + "\n\n" + meanings);
        schema.set("enum", JsonNodes.texts(EnumNames.allowedNames(type)));
        return schema;
    }

    private static ObjectNode durationSchema() {
        return JsonNodes.object("type", "string")
                .put(
                        "description",
                        "A duration: a number and its unit `ms`, `s`, `m` or `h`. Answers are in"
                                + " seconds, such as `90s` or `1.5s`.")
                .put("pattern", "^-?[0-9]{1,12}(\\.[0-9]{1,9})?(ms|s|m|h)$");
    }

    private static ObjectNode timestampSchema() {
        return JsonNodes.object("type", "string")
                .put("description", "A moment by RFC 3339, such as `2026-01-31T12:00:00Z`.")
                .put("format", "date-time");
    }

    private ObjectNode addAndReferenceProtobufType(String name, ObjectNode schema) {
        if (claimName(name, "google.protobuf." + name)) {
            components.put(name, schema);
        }
        return JsonNodes.reference("schemas/" + name);
    }

    /** The name within its package: what a reader and a generated client call it. */
    private static String schemaName(GenericDescriptor element) {
        String home = element.getFile().getPackage();
        return element.getFullName().substring(home.length() + 1).replace('.', '_');
    }

    /**
     * Whether nobody had this name yet.
     *
     * @throws IllegalArgumentException when something else has it
     */
    private boolean claimName(String name, String fullName) {
        String owner = owners.putIfAbsent(name, fullName);
        if (owner != null && !owner.equals(fullName)) {
            throw new IllegalArgumentException(
                    "The document would have two schemas "
                            + name
                            + ": "
                            + owner
                            + " and "
                            + fullName);
        }
        return owner == null;
    }
}
