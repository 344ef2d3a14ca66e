package drover.kit.rest;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import drover.kit.grpc.Refused;
import drover.kit.rest.json.ProtoJson;
import drover.model.RefusalCode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Puts a gRPC request together from path, query and body. */
final class RequestReader {
    private RequestReader() {}

    static DynamicMessage read(Route route, Map<String, String> captures, HttpRequest request) {
        Descriptor type = route.method().getInputType();
        DynamicMessage.Builder builder = body(route, request);
        if (!request.query().isEmpty()) {
            query(builder, route, captures, request.query());
        }
        captures.forEach((name, text) -> capture(builder, type, name, text));
        return builder.build();
    }

    private static DynamicMessage.Builder body(Route route, HttpRequest request) {
        Descriptor type = route.method().getInputType();
        if (!route.takesBody()) {
            return DynamicMessage.newBuilder(type);
        }
        byte[] body = request.body().get().toByteArray();
        return route.bodyField()
                .map(
                        field ->
                                DynamicMessage.newBuilder(type)
                                        .setField(
                                                field,
                                                ProtoJson.read(body, field.getMessageType())))
                .orElseGet(() -> ProtoJson.read(body, type).toBuilder());
    }

    private static void query(
            DynamicMessage.Builder builder,
            Route route,
            Map<String, String> captures,
            String query) {
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            String[] parts = pair.split("=", 2);
            String name = decoded(parts[0]);
            FieldDescriptor field = ProtoJson.field(name, route.method().getInputType());
            if (route.takesBody() || captures.containsKey(name)) {
                throw invalid(name, "belongs into the " + (route.takesBody() ? "body" : "path"));
            }
            add(builder, field, parts.length == 2 ? decoded(parts[1]) : "");
        }
    }

    private static void add(DynamicMessage.Builder builder, FieldDescriptor field, String text) {
        Object value = ProtoJson.readText(field, text);
        if (field.isRepeated()) {
            builder.addRepeatedField(field, value);
        } else if (builder.hasField(field)) {
            throw invalid(field.getName(), "is given twice");
        } else {
            builder.setField(field, value);
        }
    }

    /** The path decides; a body that says something else is a mistake worth telling. */
    private static void capture(
            DynamicMessage.Builder builder, Descriptor type, String name, String text) {
        FieldDescriptor field = ProtoJson.field(name, type);
        Object value = ProtoJson.readText(field, text);
        if (builder.hasField(field) && !builder.getField(field).equals(value)) {
            throw invalid(name, "differs from the one in the path; leave it out");
        }
        builder.setField(field, value);
    }

    private static Refused invalid(String field, String what) {
        return new Refused(
                RefusalCode.INVALID_FIELD, "The field '" + field + "' " + what + ".", field);
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "The query contains a broken percent escape.",
                    text.length() > 40 ? "" : text);
        }
    }
}
