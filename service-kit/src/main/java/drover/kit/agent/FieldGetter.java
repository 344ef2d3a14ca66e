package drover.kit.agent;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.GeneratedMessage;
import com.google.protobuf.Message;
import java.lang.invoke.LambdaConversionException;
import java.lang.invoke.LambdaMetafactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.Function;

/**
 * Reads one field of messages by its generated getter. {@link Message#getField} does it by
 * reflection, which takes three times as long as the rest of the check of a report.
 */
final class FieldGetter {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private FieldGetter() {}

    /**
     * A function of each message of this type to the value of a field, or to its list of values.
     *
     * @param example any message of the type
     */
    static Function<Message, Object> of(Message example, FieldDescriptor field) {
        if (!(example instanceof GeneratedMessage) || field.isMapField()) {
            return message -> message.getField(field);
        }
        String jsonName = field.getJsonName();
        String name =
                "get"
                        + Character.toUpperCase(jsonName.charAt(0))
                        + jsonName.substring(1)
                        + (field.isRepeated() ? "List" : "");
        try {
            return createFunction(LOOKUP.unreflect(example.getClass().getMethod(name)));
        } catch (ReflectiveOperationException | LambdaConversionException e) {
            return message -> message.getField(field); // a name that the generator had to change
        }
    }

    @SuppressWarnings("unchecked") // the type is built from the handle
    private static Function<Message, Object> createFunction(MethodHandle getter)
            throws LambdaConversionException {
        MethodHandle factory =
                LambdaMetafactory.metafactory(
                                LOOKUP,
                                "apply",
                                MethodType.methodType(Function.class),
                                MethodType.methodType(Object.class, Object.class),
                                getter,
                                getter.type().wrap())
                        .getTarget();
        try {
            return (Function<Message, Object>) factory.invoke();
        } catch (Throwable e) { // a factory of a function without captured values cannot fail
            throw new LinkageError("No function calls " + getter + ".", e);
        }
    }
}
