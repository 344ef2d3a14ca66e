package drover.kit.grpc;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import drover.model.RefusalCode;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a message says only what this version knows. Protocol buffers leave out what they do not
 * know without a word, and a later version may have said there what must not happen. So where that
 * could do harm the whole message is refused (invariant C15).
 */
public final class UnknownFieldCheck {
    private static final int NOT_DECLARED = -1; // the index of a number that an enum does not have

    private UnknownFieldCheck() {}

    /**
     * The message, when all of it is known here.
     *
     * @throws Refused {@code UNKNOWN_CONTENT} that names the first thing which is not
     */
    public static <M extends Message> M requireKnown(M message) {
        Optional<String> unknown = findUnknown("", message);
        if (unknown.isPresent()) {
            throw new Refused(
                    RefusalCode.UNKNOWN_CONTENT,
                    "A later version said "
                            + unknown.get()
                            + ", which this one does not know; upgrade this service, or leave it out.");
        }
        return message;
    }

    private static Optional<String> findUnknown(String path, Message message) {
        Optional<Integer> stranger =
                message.getUnknownFields().asMap().keySet().stream().sorted().findFirst();
        if (stranger.isPresent()) {
            return Optional.of(
                    "field %d of %s"
                            .formatted(
                                    stranger.get(),
                                    path.isEmpty()
                                            ? message.getDescriptorForType().getName()
                                            : path));
        }
        return message.getAllFields().entrySet().stream()
                .flatMap(field -> findUnknown(path, field.getKey(), field.getValue()))
                .findFirst();
    }

    private static Stream<String> findUnknown(String path, FieldDescriptor field, Object value) {
        String place = path.isEmpty() ? field.getName() : path + "." + field.getName();
        Collection<?> values = value instanceof Collection<?> several ? several : List.of(value);
        return switch (field.getJavaType()) {
            case MESSAGE ->
                    values.stream().flatMap(one -> findUnknown(place, (Message) one).stream());
            case ENUM ->
                    values.stream()
                            .map(EnumValueDescriptor.class::cast)
                            .filter(one -> one.getIndex() == NOT_DECLARED)
                            .map(one -> "%d as %s".formatted(one.getNumber(), place));
            default -> Stream.empty();
        };
    }
}
