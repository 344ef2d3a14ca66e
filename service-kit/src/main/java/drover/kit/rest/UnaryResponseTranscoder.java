package drover.kit.rest;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import drover.kit.rest.json.EnumNames;
import drover.kit.rest.json.ProtoJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Renders a gRPC response. A request that is not decided yet ({@code request.state = pending})
 * answers 202; what was created, 201 with its place; anything else 200.
 */
final class UnaryResponseTranscoder {
    private static final String REQUEST = "request";
    private static final String STATE = "state";
    private static final String PENDING = "pending";

    private UnaryResponseTranscoder() {}

    static HttpResponse render(Route route, String path, DynamicMessage answer) {
        String body = ProtoJson.write(answer);
        if (isPending(answer)) {
            return HttpResponse.of(202, HttpResponse.JSON, body);
        }
        if (route.createsResource()) {
            HttpResponse created = HttpResponse.of(201, HttpResponse.JSON, body);
            return createdId(answer)
                    .map(id -> created.with("Location", path + "/" + id))
                    .orElse(created);
        }
        return HttpResponse.of(200, HttpResponse.JSON, body);
    }

    private static boolean isPending(DynamicMessage answer) {
        return singleMessage(answer, answer.getDescriptorForType().findFieldByName(REQUEST))
                .map(request -> fieldValueOrEmpty(request, STATE))
                .filter(EnumValueDescriptor.class::isInstance)
                .map(state -> EnumNames.nameOf((EnumValueDescriptor) state))
                .filter(PENDING::equals)
                .isPresent();
    }

    /** Whether an answer of this type can tell of a request that is not decided yet. */
    static boolean mayBePending(Descriptor answer) {
        FieldDescriptor request = answer.findFieldByName(REQUEST);
        if (request == null || request.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
            return false;
        }
        FieldDescriptor state = request.getMessageType().findFieldByName(STATE);
        return state != null
                && state.getJavaType() == FieldDescriptor.JavaType.ENUM
                && EnumNames.allowedNames(state.getEnumType()).contains(PENDING);
    }

    /** The id of the first message that has one. */
    private static Optional<String> createdId(DynamicMessage answer) {
        return answer.getDescriptorForType().getFields().stream()
                .flatMap(field -> singleMessage(answer, field).stream())
                .map(created -> fieldValueOrEmpty(created, "id"))
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .filter(id -> id.matches("[A-Za-z0-9._~-]+"))
                .findFirst();
    }

    private static Optional<Message> singleMessage(
            DynamicMessage answer, @Nullable FieldDescriptor field) { // null: no such field
        return field != null
                        && !field.isRepeated()
                        && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                        && answer.hasField(field)
                ? Optional.of((Message) answer.getField(field))
                : Optional.empty();
    }

    private static Object fieldValueOrEmpty(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field == null ? "" : message.getField(field);
    }
}
