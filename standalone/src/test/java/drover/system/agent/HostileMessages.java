package drover.system.agent;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import drover.agent.v1.ConnectRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Messages of a hostile agent: each field in turn with values no agent sends, and random ones. */
final class HostileMessages {
    private static final List<String> TEXTS =
            List.of(
                    "\0",
                    "a\u0000b",
                    "\u0085",
                    "\u001b[2J",
                    "'; DROP TABLE x; --",
                    "x".repeat(9_000));
    private static final List<Long> NUMBERS =
            List.of(-1L, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 53, (1L << 53) + 1);
    private static final List<Integer> NANOS = List.of(-1, 0, 1_999_999_999);

    private HostileMessages() {}

    /** One message for each field and value. */
    static List<ConnectRequest> ofEachField() {
        List<ConnectRequest> messages = new ArrayList<>();
        collect(List.of(), ConnectRequest.getDescriptor(), messages);
        return messages;
    }

    private static void collect(
            List<FieldDescriptor> path, Descriptor type, List<ConnectRequest> to) {
        for (FieldDescriptor field : type.getFields()) {
            List<FieldDescriptor> here = new ArrayList<>(path);
            here.add(field);
            values(field).forEach(value -> to.add(with(here, value, 1)));
            if (field.isRepeated()) {
                to.add(with(here, typical(field), 5_000));
            }
            if (field.getJavaType() == JavaType.MESSAGE && !isValue(field)) {
                collect(here, field.getMessageType(), to);
            }
        }
    }

    private static boolean isValue(FieldDescriptor field) {
        return field.getMessageType().getFile().getPackage().startsWith("google");
    }

    private static List<Object> values(FieldDescriptor field) {
        return switch (field.getJavaType()) {
            case STRING -> List.copyOf(TEXTS);
            case LONG -> List.copyOf(NUMBERS);
            case INT -> List.of(-1, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case ENUM -> List.of(field.getEnumType().findValueByNumberCreatingIfUnknown(99));
            case MESSAGE -> isValue(field) ? times(field.getMessageType()) : List.of();
            case BOOLEAN, BYTE_STRING, FLOAT, DOUBLE -> List.of();
        };
    }

    private static List<Object> times(Descriptor type) {
        List<Object> times = new ArrayList<>();
        for (long seconds : NUMBERS) {
            for (int nanos : NANOS) {
                times.add(time(type, seconds, nanos));
            }
        }
        return times;
    }

    private static Message time(Descriptor type, long seconds, int nanos) {
        return DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("seconds"), seconds)
                .setField(type.findFieldByName("nanos"), nanos)
                .build();
    }

    private static Object typical(FieldDescriptor field) {
        return field.getJavaType() == JavaType.MESSAGE
                ? DynamicMessage.getDefaultInstance(field.getMessageType())
                : "a";
    }

    private static ConnectRequest with(List<FieldDescriptor> path, Object value, int times) {
        Object inner = value;
        for (FieldDescriptor field : path.reversed()) {
            DynamicMessage.Builder outer = DynamicMessage.newBuilder(field.getContainingType());
            boolean last = field == path.getLast();
            if (field.isRepeated()) {
                outer.setField(field, Collections.nCopies(last ? times : 1, inner));
            } else {
                outer.setField(field, inner);
            }
            inner = outer.build();
        }
        return parsed(((Message) inner).toByteString());
    }

    private static ConnectRequest parsed(ByteString bytes) {
        try {
            return ConnectRequest.parseFrom(bytes);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    /** A message with random values in random fields. */
    static ConnectRequest random(Random random) {
        Descriptor type = ConnectRequest.getDescriptor();
        FieldDescriptor kind = type.getFields().get(random.nextInt(type.getFields().size()));
        Message inner = random(kind.getMessageType(), random);
        return parsed(DynamicMessage.newBuilder(type).setField(kind, inner).build().toByteString());
    }

    private static Message random(Descriptor type, Random random) {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        for (FieldDescriptor field : type.getFields()) {
            if (random.nextInt(3) == 0) {
                continue;
            }
            if (field.isRepeated()) {
                for (int i = random.nextInt(4); i > 0; i--) {
                    message.addRepeatedField(field, value(field, random));
                }
            } else {
                message.setField(field, value(field, random));
            }
        }
        return message.build();
    }

    /** Mostly one that an agent could send, so that not all fail at their first field. */
    private static Object value(FieldDescriptor field, Random random) {
        boolean usual = random.nextInt(20) != 0;
        List<Object> values = values(field);
        if (!usual && !values.isEmpty()) {
            return values.get(random.nextInt(values.size()));
        }
        return switch (field.getJavaType()) {
            case STRING -> "v" + random.nextInt(10);
            case LONG -> (long) random.nextInt(1_000);
            case INT -> random.nextInt(100);
            case BOOLEAN -> random.nextBoolean();
            case ENUM ->
                    field.getEnumType()
                            .getValues()
                            .get(random.nextInt(field.getEnumType().getValues().size()));
            case MESSAGE ->
                    isValue(field)
                            ? time(field.getMessageType(), random.nextInt(1_000), 0)
                            : random(field.getMessageType(), random);
            case BYTE_STRING, FLOAT, DOUBLE -> throw new IllegalArgumentException(field.getName());
        };
    }
}
