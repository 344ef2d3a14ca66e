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

    private static final Map<Descriptor, List<FieldDescriptor>> CHECKED_FIELDS =
            new ConcurrentHashMap<>();

    private AgentMessageRepairingValidator() {}

    /** The fields of a message that can be outside their limits. */
    private static List<FieldDescriptor> checkedFields(Descriptor message) {
        return CHECKED_FIELDS.computeIfAbsent(
                message,
                it ->
                        it.getFields().stream()
                                .filter(AgentMessageRepairingValidator::canBeInvalid)
                                .toList());
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
            String type = message.getDescriptorForType().getName();
            if (message.getSerializedSize() > maxBytes(type)) {
                throw tooLarge(path == null ? type : path.toString(), type);
            }
            Message.Builder changed = null;
            // Not getAllFields(), which sorts the fields into a new map.
            for (FieldDescriptor field : checkedFields(message.getDescriptorForType())) {
                if (isAbsent(message, field)) {
                    continue;
                }
                Object before = message.getField(field);
                FieldPath place = new FieldPath(path, field, -1);
                Object after =
                        before instanceof List<?> values
                                ? checkValues(place, field, values)
                                : checkValue(place, field, before);
                if (after != before) {
                    changed = changed == null ? message.toBuilder() : changed;
                    setOrClearField(changed, field, after);
                }
            }
            return changed == null ? message : changed.build();
        }

        /** An absent name or number has its default, which is within all limits. */
        private static boolean isAbsent(Message message, FieldDescriptor field) {
            if (field.isRepeated()) {
                return message.getRepeatedFieldCount(field) == 0;
            }
            return switch (field.getJavaType()) {
                case STRING, INT, LONG -> false;
                default -> !message.hasField(field);
            };
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
        private Collection<?> checkValues(FieldPath place, FieldDescriptor field, List<?> values) {
            if (values.size() > FieldLimits.maxEntries(field)) {
                throw new InvalidMessage(
                        place.toString(),
                        "must have at most %d entries".formatted(FieldLimits.maxEntries(field)));
            }
            int before = replaced;
            List<Object> after = new ArrayList<>(values.size());
            for (int i = 0; i < values.size(); i++) {
                Object value =
                        checkValue(new FieldPath(place.parent(), field, i), field, values.get(i));
                if (value != null) {
                    after.add(value);
                }
            }
            return replaced == before ? values : after;
        }

        /** The value, another one in its place, or null to leave it out. */
        private @Nullable Object checkValue(FieldPath place, FieldDescriptor field, Object value) {
            return switch (field.getJavaType()) {
                case STRING ->
                        FieldLimits.isText(field)
                                ? repairText(field, (String) value)
                                : checkName(place, field, (String) value);
                case INT ->
                        checkNumber(place, field, value, Integer.toUnsignedLong((Integer) value));
                case LONG -> checkNumber(place, field, value, (Long) value);
                case MESSAGE -> checkSubmessage(place, field, (Message) value);
                case BOOLEAN, ENUM -> value; // an unknown enum value is a later agent's
                case BYTE_STRING, FLOAT, DOUBLE ->
                        throw new InvalidMessage(place.toString(), "has a type without limits");
            };
        }

        private @Nullable Object checkSubmessage(
                FieldPath place, FieldDescriptor field, Message value) {
            if (value instanceof com.google.protobuf.Duration duration) {
                return checkDuration(place, field, duration);
            }
            if (value instanceof Timestamp time) {
                if (FieldLimits.isPlausible(field, time, now)) {
                    return time;
                }
                replaced++;
                return null;
            }
            return checkMessage(place, value);
        }

        private static Object checkDuration(
                FieldPath place, FieldDescriptor field, com.google.protobuf.Duration value) {
            long most = FieldLimits.maxDuration(field).toSeconds();
            if (!Durations.isValid(value)
                    || Durations.isNegative(value)
                    || value.getSeconds() > most) {
                throw new InvalidMessage(
                        place.toString(),
                        "must be a duration from 0 to %,d seconds".formatted(most));
            }
            return value;
        }

        private static Object checkNumber(
                FieldPath place, FieldDescriptor field, Object value, long number) {
            long most = FieldLimits.maxNumber(field);
            if (number < 0 || number > most) {
                throw new InvalidMessage(
                        place.toString(), "must be a number from 0 to %,d".formatted(most));
            }
            return value;
        }

        private static Object checkName(FieldPath place, FieldDescriptor field, String value) {
            int most = FieldLimits.maxCharacters(field);
            if (value.length() > most) {
                throw new InvalidMessage(
                        place.toString(), "must have at most %,d characters".formatted(most));
            }
            for (int i = 0; i < value.length(); i++) {
                if (Character.isISOControl(value.charAt(i))) {
                    throw new InvalidMessage(place.toString(), "must have no control characters");
                }
            }
            return value;
        }

        private Object repairText(FieldDescriptor field, String value) {
            int most = FieldLimits.maxCharacters(field);
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
