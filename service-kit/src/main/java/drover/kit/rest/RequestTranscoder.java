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
final class RequestTranscoder {
    private RequestTranscoder() {}

    static DynamicMessage read(Route route, Map<String, String> captures, HttpRequest request) {
        Descriptor type = route.method().getInputType();
        DynamicMessage.Builder builder = readBody(route, request);
        if (!request.query().isEmpty()) {
            readQuery(builder, route, captures, request.query());
        }
        captures.forEach((name, text) -> setPathField(builder, type, name, text));
        return builder.build();
    }

    private static DynamicMessage.Builder readBody(Route route, HttpRequest request) {
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

    private static void readQuery(
            DynamicMessage.Builder builder,
            Route route,
            Map<String, String> captures,
            String query) {
        for (String pair : query.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            String[] parts = pair.split("=", 2);
            String name = decodeQueryText(parts[0]);
            FieldDescriptor field = ProtoJson.requireField(name, route.method().getInputType());
            if (route.takesBody() || captures.containsKey(name)) {
                throw invalid(name, "belongs into the " + (route.takesBody() ? "body" : "path"));
            }
            addField(builder, field, parts.length == 2 ? decodeQueryText(parts[1]) : "");
        }
    }

    private static void addField(
            DynamicMessage.Builder builder, FieldDescriptor field, String text) {
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
    private static void setPathField(
            DynamicMessage.Builder builder, Descriptor type, String name, String text) {
        FieldDescriptor field = ProtoJson.requireField(name, type);
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

    private static String decodeQueryText(String text) {
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
