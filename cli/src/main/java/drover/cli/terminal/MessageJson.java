package drover.cli.terminal;

import com.google.gson.stream.JsonWriter;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;

/**
 * Messages as JSON, the same as REST answers: names of the contracts, enum words of {@link
 * EnumNames}, numbers and lists always, empty texts and unset messages never, 64-bit numbers beyond
 * 2^53 as texts.
 */
public final class MessageJson {
    private static final long EXACT_IN_JAVASCRIPT = 1L << 53;

    private final JsonWriter out;

    private MessageJson(JsonWriter out) {
        this.out = out;
    }

    /** Indented for people when asked, else on one line. */
    public static String write(Message message, boolean indented) {
        StringWriter text = new StringWriter();
        JsonWriter writer = new JsonWriter(text);
        writer.setIndent(indented ? "  " : "");
        writer.setHtmlSafe(false);
        try {
            new MessageJson(writer).writeMessage(message);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // cannot be: it goes to memory
        }
        return text.toString();
    }

    private void writeMessage(Message message) throws IOException {
        out.beginObject();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (isSet(message, field)) {
                out.name(field.getName());
                writeField(field, message.getField(field));
            }
        }
        out.endObject();
    }

    private static boolean isSet(Message message, FieldDescriptor field) {
        if (field.isRepeated()) {
            return true;
        }
        if (field.hasPresence()) {
            return message.hasField(field);
        }
        return switch (field.getJavaType()) {
            case INT, LONG, FLOAT, DOUBLE, BOOLEAN -> true;
            case STRING -> !((String) message.getField(field)).isEmpty();
            case BYTE_STRING -> !((ByteString) message.getField(field)).isEmpty();
            case ENUM -> ((EnumValueDescriptor) message.getField(field)).getNumber() != 0;
            case MESSAGE -> message.hasField(field);
        };
    }

    private void writeField(FieldDescriptor field, Object value) throws IOException {
        if (field.isMapField()) {
            writeMap(field, (List<?>) value);
        } else if (field.isRepeated()) {
            out.beginArray();
            for (Object element : (List<?>) value) {
                writeSingular(field, element);
            }
            out.endArray();
        } else {
            writeSingular(field, value);
        }
    }

    private void writeMap(FieldDescriptor field, List<?> entries) throws IOException {
        FieldDescriptor key = field.getMessageType().findFieldByNumber(1);
        FieldDescriptor value = field.getMessageType().findFieldByNumber(2);
        List<Message> sorted =
                entries.stream()
                        .map(Message.class::cast)
                        .sorted(Comparator.comparing(entry -> entry.getField(key).toString()))
                        .toList();
        out.beginObject();
        for (Message entry : sorted) {
            out.name(entry.getField(key).toString());
            writeSingular(value, entry.getField(value));
        }
        out.endObject();
    }

    private void writeSingular(FieldDescriptor field, Object value) throws IOException {
        switch (field.getJavaType()) {
            case INT ->
                    out.value(
                            field.getType() == FieldDescriptor.Type.UINT32
                                    ? Integer.toUnsignedLong((Integer) value)
                                    : (Integer) value);
            case LONG -> writeLong((Long) value);
            case FLOAT, DOUBLE -> out.value((Number) value);
            case BOOLEAN -> out.value((Boolean) value);
            case STRING -> out.value((String) value);
            case BYTE_STRING ->
                    out.value(
                            Base64.getEncoder().encodeToString(((ByteString) value).toByteArray()));
            case ENUM -> out.value(EnumNames.of((EnumValueDescriptor) value));
            case MESSAGE -> writeNested((Message) value);
        }
    }

    private void writeLong(long value) throws IOException {
        if (value >= -EXACT_IN_JAVASCRIPT && value <= EXACT_IN_JAVASCRIPT) {
            out.value(value);
        } else {
            out.value(Long.toString(value));
        }
    }

    private void writeNested(Message value) throws IOException {
        switch (value) {
            case Duration duration -> out.value(TimeTextConverter.formatSeconds(duration));
            case Timestamp at ->
                    out.value(Instant.ofEpochSecond(at.getSeconds(), at.getNanos()).toString());
            default -> writeMessage(value);
        }
    }
}
