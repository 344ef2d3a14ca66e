package drover.gateway.api;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Splits a message to a coordinator or evaluator by its serialized size, so that it never exceeds
 * what the receiver accepts. One entry alone is always sent: the limits of agent messages bound it.
 */
final class MessageSplitter {
    /** A quarter of what a gRPC client accepts by default. */
    static final int MAX_BYTES = 1 << 20;

    private static final int ENTRY_OVERHEAD = 8; // bytes of a tag and a length

    private MessageSplitter() {}

    /** The message, or messages with its entries in the same order. */
    @SuppressWarnings("unchecked") // parts are built by the builder of the message
    static <M extends Message> List<M> splitBySize(M message) {
        if (message.getSerializedSize() <= MAX_BYTES) {
            return List.of(message);
        }
        FieldDescriptor wrapper = findWrapperField(message);
        if (wrapper == null) {
            return (List<M>) splitEntries(message);
        }
        return splitEntries((Message) message.getField(wrapper)).stream()
                .map(part -> (M) message.toBuilder().setField(wrapper, part).build())
                .toList();
    }

    /** The field with the entries' message; null if the message has the entries itself. */
    private static @org.jspecify.annotations.Nullable FieldDescriptor findWrapperField(
            Message message) {
        return message.getAllFields().keySet().stream()
                .filter(field -> field.getContainingOneof() != null)
                .filter(field -> field.getJavaType() == JavaType.MESSAGE)
                .findFirst()
                .orElse(null);
    }

    private static List<Message> splitEntries(Message whole) {
        List<Message> parts = new ArrayList<>();
        Message.Builder part = whole.newBuilderForType();
        int size = 0;
        for (Map.Entry<FieldDescriptor, Object> field : whole.getAllFields().entrySet()) {
            if (!(field.getValue() instanceof List<?> entries)) {
                throw new IllegalArgumentException(
                        field.getKey().getFullName() + " cannot be split");
            }
            for (Object entry : entries) {
                int next = entryBytes(entry);
                if (size > 0 && size + next > MAX_BYTES) {
                    parts.add(part.build());
                    part = whole.newBuilderForType();
                    size = 0;
                }
                part.addRepeatedField(field.getKey(), entry);
                size += next;
            }
        }
        parts.add(part.build());
        return parts;
    }

    private static int entryBytes(Object entry) {
        int size =
                entry instanceof Message message
                        ? message.getSerializedSize()
                        : 4 * String.valueOf(entry).length(); // a character has at most 4 bytes
        return size + ENTRY_OVERHEAD;
    }
}
