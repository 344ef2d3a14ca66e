package drover.kit.rest.openapi;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import drover.kit.rest.Route;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which messages callers send, which they are told, and what of the former stands in the address.
 * Unknown fields of what is sent are refused; answers may grow.
 */
final class MessageUsage {
    private final Set<Descriptor> sent = new HashSet<>();
    private final Set<Descriptor> received = new HashSet<>();
    private final Set<FieldDescriptor> inPath = new HashSet<>();

    /**
     * @throws IllegalArgumentException when a message has fields in a path and is part of another
     */
    MessageUsage(List<Route> routes) {
        Set<Descriptor> parts = new HashSet<>();
        for (Route route : routes) {
            collect(route.method().getOutputType(), received);
            if (route.takesBody()) {
                Descriptor body = bodyType(route);
                collect(body, sent);
                body.getFields().forEach(field -> collectTypeOf(field, parts));
                inPath.addAll(route.pathFields());
            }
        }
        inPath.stream()
                .map(FieldDescriptor::getContainingType)
                .filter(message -> parts.contains(message) || received.contains(message))
                .forEach(
                        message -> {
                            throw new IllegalArgumentException(
                                    message.getFullName()
                                            + " has fields in a path and is part of another");
                        });
    }

    /** What a body holds. */
    static Descriptor bodyType(Route route) {
        return route.bodyField()
                .map(FieldDescriptor::getMessageType)
                .orElseGet(route.method()::getInputType);
    }

    /** Whether callers send it. */
    boolean isSentByCallers(Descriptor message) {
        return sent.contains(message);
    }

    /** Whether callers send it and are never told it. */
    boolean isRequestOnly(Descriptor message) {
        return sent.contains(message) && !received.contains(message);
    }

    /** Whether the address gives this field, so that a body leaves it out. */
    boolean isPathParameter(FieldDescriptor field) {
        return inPath.contains(field);
    }

    private static void collect(Descriptor message, Set<Descriptor> into) {
        if (into.add(message)) {
            message.getFields().forEach(field -> collectTypeOf(field, into));
        }
    }

    private static void collectTypeOf(FieldDescriptor field, Set<Descriptor> into) {
        if (field.getJavaType() == JavaType.MESSAGE) {
            collect(field.getMessageType(), into);
        }
    }
}
