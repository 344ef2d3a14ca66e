package drover.kit.agent;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Durations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Check of agent messages: every field of every message, by the limits of its type or its own. Text
 * for people is repaired and an implausible time is removed, since an honest node may quote the
 * output of a program or have a wrong clock. Any other value outside its limits makes the whole
 * message invalid. Pure: the time is an argument.
 */
public final class AgentMessageRepairingValidator {
    private static final char REPLACEMENT = '?';
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    private static final Map<Descriptor, MessageLimits> LIMITS = new ConcurrentHashMap<>();

    private AgentMessageRepairingValidator() {}

    /**
     * Limits of a message type.
     *
     * @param fields that can be outside their limits
     */
    private record MessageLimits(int maxBytes, List<LimitedField> fields) {
        static MessageLimits of(Message message) {
            Descriptor type = message.getDescriptorForType();
            return new MessageLimits(
                    FieldLimits.maxBytes(type.getName()),
                    type.getFields().stream()
                            .filter(AgentMessageRepairingValidator::canBeInvalid)
                            .map(field -> LimitedField.of(message, field))
                            .toList());
        }
    }

    private record LimitedField(FieldLimits limits, Function<Message, Object> getter) {
        static LimitedField of(Message message, FieldDescriptor field) {
            return new LimitedField(FieldLimits.of(field), FieldGetter.of(message, field));
        }
    }

    private static boolean canBeInvalid(FieldDescriptor field) {
        return field.isRepeated()
                || (field.getJavaType() != FieldDescriptor.JavaType.BOOLEAN
                        && field.getJavaType() != FieldDescriptor.JavaType.ENUM);
    }

    /**
     * A message within its limits.
     *
     * @param replaced number of texts that were changed and times that were removed
     */
    public record ValidatedMessage<M extends Message>(M message, int replaced) {}

    /**
     * Checks a message and everything in it.
     *
     * @param now used to detect times in the future
     * @throws InvalidMessage that names the first field outside its limits
     */
    @SuppressWarnings("unchecked") // a message is rebuilt from its own builder
    public static <M extends Message> ValidatedMessage<M> validateAndRepair(
            M message, Instant now) {
        CheckAndRepairPass pass = new CheckAndRepairPass(now);
        M checked = (M) pass.checkMessage(null, message);
        return new ValidatedMessage<>(checked, pass.replaced);
    }

    /**
     * The same for what another service relays. The gateway has compared times with its clock; here
     * they only have to be times that traces and JSON can write.
     *
     * @throws InvalidMessage that names the first field outside its limits
     */
    public static <M extends Message> ValidatedMessage<M> validateAndRepair(M message) {
        return validateAndRepair(message, LATEST);
    }

    /** Largest serialized size of a message of this type, in bytes. */
    public static int maxBytes(String messageType) {
        return FieldLimits.maxBytes(messageType);
    }

    /** A message that is larger than its type allows, found before it was parsed. */
    public static InvalidMessage tooLarge() {
        return new InvalidMessage(
                "message",
                "is too large: a Hello may have %,d bytes, a status %,d, a heartbeat %,d"
                        .formatted(
                                maxBytes("Hello"),
                                maxBytes("AttemptStatus"),
                                maxBytes("Heartbeat")));
    }

    private static InvalidMessage tooLarge(String field, String messageType) {
        return new InvalidMessage(
                field, "must have at most %,d bytes".formatted(maxBytes(messageType)));
    }

    /**
     * Place of a value in the message; its text is only needed if a value is outside its limits.
     *
     * @param parent null for a field of the message itself
     * @param index of a value of a repeated field; -1 for the field
     */
    private record FieldPath(@Nullable FieldPath parent, FieldDescriptor field, int index) {
        @Override
        public String toString() {
            String name = parent == null ? field.getName() : parent + "." + field.getName();
            return index < 0 ? name : name + "[" + index + "]";
        }
    }

    /** One message's check. */
    private static final class CheckAndRepairPass {
        private final Instant now;
        private int replaced;

        CheckAndRepairPass(Instant now) {
            this.now = now;
        }

        @SuppressWarnings("ReferenceEquality") // an unchanged part is the same object
        Message checkMessage(@Nullable FieldPath path, Message message) {
            Descriptor type = message.getDescriptorForType();
            MessageLimits limits = LIMITS.get(type);
            if (limits == null) {
                limits = LIMITS.computeIfAbsent(type, _ -> MessageLimits.of(message));
            }
            if (limits.maxBytes() != Integer.MAX_VALUE
                    && message.getSerializedSize() > limits.maxBytes()) {
                throw tooLarge(path == null ? type.getName() : path.toString(), type.getName());
            }
            Message.Builder changed = null;
            // Not getAllFields(), which sorts the fields into a new map.
            for (LimitedField limited : limits.fields()) {
                FieldLimits field = limited.limits();
                Object before = limited.getter().apply(message);
                Object after =
                        before instanceof List<?> values
                                ? checkValues(path, field, values)
                                : checkValue(path, field, -1, before);
                if (after != before) {
                    changed = changed == null ? message.toBuilder() : changed;
                    setOrClearField(changed, field.field(), after);
                }
            }
            return changed == null ? message : changed.build();
        }

        private static void setOrClearField(
                Message.Builder message, FieldDescriptor field, @Nullable Object value) {
            if (value == null) {
                message.clearField(field);
            } else {
                message.setField(field, value);
            }
        }

        /** The same list unless one of its values changed. */
        @SuppressWarnings("ReferenceEquality") // an unchanged value is the same object
        private Collection<?> checkValues(
                @Nullable FieldPath parent, FieldLimits field, List<?> values) {
            if (values.size() > field.maxEntries()) {
                throw invalid(
                        parent,
                        field,
                        -1,
                        "must have at most %d entries".formatted(field.maxEntries()));
            }
            List<Object> changed = null;
            for (int i = 0; i < values.size(); i++) {
                Object before = values.get(i);
                Object after = checkValue(parent, field, i, before);
                if (after != before && changed == null) {
                    changed = new ArrayList<>(values.subList(0, i));
                }
                if (changed != null && after != null) {
                    changed.add(after);
                }
            }
            return changed == null ? values : changed;
        }

        /**
         * The value, another one in its place, or null to leave it out.
         *
         * @param index in a repeated field; else -1
         */
        private @Nullable Object checkValue(
                @Nullable FieldPath parent, FieldLimits field, int index, Object value) {
            return switch (field.field().getJavaType()) {
                case STRING ->
                        field.isText()
                                ? repairText(field, (String) value)
                                : checkName(parent, field, index, (String) value);
                case INT ->
                        checkNumber(
                                parent, field, index, value, Integer.toUnsignedLong((int) value));
                case LONG -> checkNumber(parent, field, index, value, (long) value);
                case MESSAGE -> checkSubmessage(parent, field, index, (Message) value);
                case BOOLEAN, ENUM -> value; // an unknown enum value is a later agent's
                case BYTE_STRING, FLOAT, DOUBLE ->
                        throw invalid(parent, field, index, "has a type without limits");
            };
        }

        @SuppressWarnings("ReferenceEquality") // a type has one default instance
        private @Nullable Object checkSubmessage(
                @Nullable FieldPath parent, FieldLimits field, int index, Message value) {
            if (value instanceof com.google.protobuf.Duration duration) {
                return checkDuration(parent, field, index, duration);
            }
            if (value instanceof Timestamp time) {
                return repairTime(field, time);
            }
            return value == value.getDefaultInstanceForType() // absent, or empty
                    ? value
                    : checkMessage(new FieldPath(parent, field.field(), index), value);
        }

        private static InvalidMessage invalid(
                @Nullable FieldPath parent, FieldLimits field, int index, String fault) {
            return new InvalidMessage(
                    new FieldPath(parent, field.field(), index).toString(), fault);
        }

        private @Nullable Timestamp repairTime(FieldLimits field, Timestamp time) {
            if (field.isPlausible(time, now)) {
                return time;
            }
            replaced++;
            return null;
        }

        private static Object checkDuration(
                @Nullable FieldPath parent,
                FieldLimits field,
                int index,
                com.google.protobuf.Duration value) {
            if (!Durations.isValid(value)
                    || Durations.isNegative(value)
                    || value.getSeconds() > field.maxSeconds()) {
                throw invalid(
                        parent,
                        field,
                        index,
                        "must be a duration from 0 to %,d seconds".formatted(field.maxSeconds()));
            }
            return value;
        }

        private static Object checkNumber(
                @Nullable FieldPath parent,
                FieldLimits field,
                int index,
                Object value,
                long number) {
            if (number < 0 || number > field.maxNumber()) {
                throw invalid(
                        parent,
                        field,
                        index,
                        "must be a number from 0 to %,d".formatted(field.maxNumber()));
            }
            return value;
        }

        private static Object checkName(
                @Nullable FieldPath parent, FieldLimits field, int index, String value) {
            if (value.length() > field.maxCharacters()) {
                throw invalid(
                        parent,
                        field,
                        index,
                        "must have at most %,d characters".formatted(field.maxCharacters()));
            }
            for (int i = 0; i < value.length(); i++) {
                if (Character.isISOControl(value.charAt(i))) {
                    throw invalid(parent, field, index, "must have no control characters");
                }
            }
            return value;
        }

        private Object repairText(FieldLimits field, String value) {
            int most = field.maxCharacters();
            boolean fits = value.length() <= most;
            if (fits && !needsReplacement(value)) {
                return value;
            }
            replaced++;
            StringBuilder repaired = new StringBuilder(fits ? value : value.substring(0, most));
            for (int i = 0; i < repaired.length(); i++) {
                if (needsReplacement(repaired.charAt(i))) {
                    repaired.setCharAt(i, REPLACEMENT);
                }
            }
            if (!fits && Character.isHighSurrogate(repaired.charAt(most - 1))) {
                repaired.setCharAt(most - 1, REPLACEMENT); // half of a character
            }
            return repaired.toString();
        }

        private static boolean needsReplacement(String text) {
            for (int i = 0; i < text.length(); i++) {
                if (needsReplacement(text.charAt(i))) {
                    return true;
                }
            }
            return false;
        }

        private static boolean needsReplacement(char character) {
            return Character.isISOControl(character) && character != '\n' && character != '\t';
        }
    }
}
