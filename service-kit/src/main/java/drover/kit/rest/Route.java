package drover.kit.rest;

import com.google.api.AnnotationsProto;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import drover.kit.rest.PathTemplate.Segment;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One method of the contracts as REST offers it.
 *
 * @param body where the fields that are not in the path come from: {@code *} when the body gives
 *     them all, the name of the one field that the body is, or empty when the query gives them
 */
public record Route(String verb, PathTemplate path, String body, MethodDescriptor method) {
    private static final String WHOLE = "*";

    /**
     * The routes of services that are made from contracts.
     *
     * @throws IllegalArgumentException when an option asks for something that is not supported
     */
    public static List<Route> of(List<io.grpc.ServiceDescriptor> services) {
        return services.stream()
                .flatMap(service -> of(toProtoDescriptor(service)).stream())
                .toList();
    }

    private static ServiceDescriptor toProtoDescriptor(io.grpc.ServiceDescriptor service) {
        if (service.getSchemaDescriptor() instanceof ProtoServiceDescriptorSupplier supplier) {
            return supplier.getServiceDescriptor();
        }
        throw new IllegalArgumentException(service.getName() + " is not made from a contract");
    }

    /** The routes of a service: one for each method that has a {@code google.api.http} option. */
    static List<Route> of(ServiceDescriptor service) {
        return service.getMethods().stream()
                .filter(method -> method.getOptions().hasExtension(AnnotationsProto.http))
                .map(Route::of)
                .toList();
    }

    private static Route of(MethodDescriptor method) {
        HttpRule rule = method.getOptions().getExtension(AnnotationsProto.http);
        Route route =
                switch (rule.getPatternCase()) {
                    case GET -> of("GET", rule.getGet(), rule, method);
                    case POST -> of("POST", rule.getPost(), rule, method);
                    case PUT -> of("PUT", rule.getPut(), rule, method);
                    case DELETE -> of("DELETE", rule.getDelete(), rule, method);
                    case PATCH -> of("PATCH", rule.getPatch(), rule, method);
                    case CUSTOM, PATTERN_NOT_SET ->
                            throw new IllegalArgumentException(
                                    method.getFullName() + " has no verb that REST offers");
                };
        route.requireSingularCaptures();
        return route;
    }

    private static Route of(String verb, String path, HttpRule rule, MethodDescriptor method) {
        boolean known =
                rule.getBody().isEmpty()
                        || rule.getBody().equals(WHOLE)
                        || isMessage(method.getInputType().findFieldByName(rule.getBody()));
        if (!known || rule.getAdditionalBindingsCount() > 0 || !rule.getResponseBody().isEmpty()) {
            throw new IllegalArgumentException(
                    method.getFullName() + " asks for more than a body or none");
        }
        if (method.isClientStreaming() || (method.isServerStreaming() && !isEventStream(method))) {
            throw new IllegalArgumentException(method.getFullName() + " is a stream");
        }
        return new Route(verb, PathTemplate.parse(path), rule.getBody(), method);
    }

    /** Each answer holds one event, which has an id and a type. */
    private static boolean isEventStream(MethodDescriptor method) {
        FieldDescriptor event = method.getOutputType().findFieldByNumber(1);
        return isMessage(event)
                && event.getMessageType().findFieldByName("id") != null
                && event.getMessageType().findFieldByName("type") != null;
    }

    /** Whether it answers with server-sent events. */
    public boolean isStream() {
        return method.isServerStreaming();
    }

    /** The type of what it answers with, unless that is a problem. */
    public String contentType() {
        return isStream() ? ServerSentEventStream.CONTENT_TYPE : HttpResponse.JSON;
    }

    /** Whether what it answers with was not there before. */
    boolean createsResource() {
        return verb.equals("POST") && method.getName().startsWith("Create");
    }

    /** The statuses of its answers that are no problems. */
    public List<Integer> successStatuses() {
        int done = createsResource() ? 201 : 200;
        return UnaryResponseTranscoder.mayBePending(method.getOutputType())
                ? List.of(done, 202)
                : List.of(done);
    }

    private static boolean isMessage(@Nullable FieldDescriptor field) {
        return field != null && field.getJavaType() == JavaType.MESSAGE && !field.isRepeated();
    }

    /** Whether it takes a body at all; what is not in the path is then not in the query. */
    public boolean takesBody() {
        return !body.isEmpty();
    }

    /** The one field that the body is; empty when the body is the whole message, or none. */
    public Optional<FieldDescriptor> bodyField() {
        return body.isEmpty() || body.equals(WHOLE)
                ? Optional.empty()
                : Optional.of(method.getInputType().findFieldByName(body));
    }

    private void requireSingularCaptures() {
        captures()
                .forEach(
                        name -> {
                            FieldDescriptor field = method.getInputType().findFieldByName(name);
                            if (field == null || field.isRepeated()) {
                                throw new IllegalArgumentException(
                                        method.getFullName() + " has no single field " + name);
                            }
                        });
    }

    /** The fields that the path gives, in its order. */
    public List<FieldDescriptor> pathFields() {
        return captures().map(method.getInputType()::findFieldByName).toList();
    }

    private Stream<String> captures() {
        return path.segments().stream()
                .flatMap(
                        segment ->
                                segment instanceof Segment.Capture(String field)
                                        ? Stream.of(field)
                                        : Stream.empty());
    }
}
