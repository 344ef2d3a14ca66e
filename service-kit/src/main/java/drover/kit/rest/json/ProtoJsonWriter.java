package drover.kit.rest.json;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import drover.kit.text.DurationTextCodec;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Writes a message; what is left out is told in {@link ProtoJson}. */
final class ProtoJsonWriter {
    private static final long FIRST = Instant.parse("0001-01-01T00:00:00Z").getEpochSecond();
    private static final long LAST = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    private static final long EXACT_IN_JAVASCRIPT = 1L << 53;

    private final JsonGenerator out;

    ProtoJsonWriter(JsonGenerator out) {
        this.out = out;
    }

    void writeMessage(Message message) {
        out.writeStartObject();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (isWritten(message, field)) {
                out.writeName(field.getName());
                writeField(field, message.getField(field));
            }
        }
        out.writeEndObject();
    }

    private static boolean isWritten(Message message, FieldDescriptor field) {
        if (isAlwaysWritten(field)) {
            return true;
        }
        if (field.hasPresence()) {
            return message.hasField(field);
        }
        return switch (field.getJavaType()) {
            case STRING -> !((String) message.getField(field)).isEmpty();
            case BYTE_STRING -> !((ByteString) message.getField(field)).isEmpty();
            case ENUM -> ((EnumValueDescriptor) message.getField(field)).getNumber() != 0;
            case INT, LONG, FLOAT, DOUBLE, BOOLEAN, MESSAGE ->
                    throw new IllegalStateException("decided above: " + field.getFullName());
        };
    }

    /** Whether it is written whatever its value. */
    static boolean isAlwaysWritten(FieldDescriptor field) {
        return field.isRepeated()
                || (!field.hasPresence()
                        && switch (field.getJavaType()) {
                            case INT, LONG, FLOAT, DOUBLE, BOOLEAN -> true;
                            case STRING, BYTE_STRING, ENUM, MESSAGE -> false;
                        });
    }

    private void writeField(FieldDescriptor field, Object value) {
        if (field.isMapField()) {
            writeMap(field, (List<?>) value);
        } else if (field.isRepeated()) {
            out.writeStartArray();
            ((List<?>) value).forEach(element -> writeSingular(field, element));
            out.writeEndArray();
        } else {
            writeSingular(field, value);
        }
    }

    /** Maps have no order in the contracts; sorted by key, equal messages are equal texts. */
    private void writeMap(FieldDescriptor field, List<?> entries) {
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        out.writeStartObject();
        entries.stream()
                .map(Message.class::cast)
                .sorted(Comparator.comparing(entry -> entry.getField(key).toString()))
                .forEach(
                        entry -> {
                            out.writeName(entry.getField(key).toString());
                            writeSingular(value, entry.getField(value));
                        });
        out.writeEndObject();
    }

    private void writeSingular(FieldDescriptor field, Object value) {
        switch (field.getJavaType()) {
            case INT -> out.writeNumber(toLongAsDeclared(field, (Integer) value));
            case LONG -> writeLong((Long) value, field);
            case FLOAT -> out.writeNumber((Float) value);
            case DOUBLE -> out.writeNumber((Double) value);
            case BOOLEAN -> out.writeBoolean((Boolean) value);
            case STRING -> out.writeString((String) value);
            case BYTE_STRING ->
                    out.writeString(
                            Base64.getEncoder().encodeToString(((ByteString) value).toByteArray()));
            case ENUM -> out.writeString(EnumNames.nameOf((EnumValueDescriptor) value));
            case MESSAGE -> writeNested((Message) value);
        }
    }

    private static long toLongAsDeclared(FieldDescriptor field, int value) {
        return switch (field.getType()) {
            case UINT32, FIXED32 -> Integer.toUnsignedLong(value);
            default -> value;
        };
    }

    private void writeLong(long value, FieldDescriptor field) {
        boolean unsigned =
                field.getType() == FieldDescriptor.Type.UINT64
                        || field.getType() == FieldDescriptor.Type.FIXED64;
        if (value >= -EXACT_IN_JAVASCRIPT
                && value <= EXACT_IN_JAVASCRIPT
                && (value >= 0 || !unsigned)) {
            out.writeNumber(value);
        } else {
            out.writeString(unsigned ? Long.toUnsignedString(value) : Long.toString(value));
        }
    }

    private void writeNested(Message value) {
        switch (value.getDescriptorForType().getFullName()) {
            case "google.protobuf.Duration" ->
                    out.writeString(
                            DurationTextCodec.format(longValue(value, "seconds"), nanos(value)));
            case "google.protobuf.Timestamp" ->
                    out.writeString(formatTimestamp(longValue(value, "seconds"), nanos(value)));
            default -> writeMessage(value);
        }
    }

    /** A time outside what dates can say is written as the nearest: one value hides no page. */
    private static String formatTimestamp(long seconds, int nanos) {
        if (seconds < FIRST || seconds > LAST || nanos < 0 || nanos > 999_999_999) {
            return Instant.ofEpochSecond(Math.clamp(seconds, FIRST, LAST)).toString();
        }
        return Instant.ofEpochSecond(seconds, nanos).toString();
    }

    private static int nanos(Message value) {
        return Math.toIntExact(longValue(value, "nanos"));
    }

    private static long longValue(Message value, String name) {
        FieldDescriptor field = value.getDescriptorForType().findFieldByName(name);
        return ((Number) value.getField(field)).longValue();
    }
}
