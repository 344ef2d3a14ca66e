package drover.kit.http;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import drover.kit.json.EnumWords;
import drover.kit.json.ProtoJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Renders a gRPC response. A request that is not decided yet ({@code request.state = pending})
 * answers 202; what was created, 201 with its place; anything else 200.
 */
final class Answers {
    private Answers() {}

    static HttpResponse render(Route route, String path, DynamicMessage answer) {
        String body = ProtoJson.write(answer);
        if (isPending(answer)) {
            return HttpResponse.of(202, HttpResponse.JSON, body);
        }
        if (route.verb().equals("POST") && route.method().getName().startsWith("Create")) {
            HttpResponse created = HttpResponse.of(201, HttpResponse.JSON, body);
            return createdId(answer)
                    .map(id -> created.with("Location", path + "/" + id))
                    .orElse(created);
        }
        return HttpResponse.of(200, HttpResponse.JSON, body);
    }

    private static boolean isPending(DynamicMessage answer) {
        return singleMessage(answer, answer.getDescriptorForType().findFieldByName("request"))
                .map(request -> value(request, "state"))
                .filter(EnumValueDescriptor.class::isInstance)
                .map(state -> EnumWords.word((EnumValueDescriptor) state))
                .filter("pending"::equals)
                .isPresent();
    }

    /** The id of the first message that has one. */
    private static Optional<String> createdId(DynamicMessage answer) {
        return answer.getDescriptorForType().getFields().stream()
                .flatMap(field -> singleMessage(answer, field).stream())
                .map(created -> value(created, "id"))
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

    private static Object value(Message message, String name) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName(name);
        return field == null ? "" : message.getField(field);
    }
}
