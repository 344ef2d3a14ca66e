package drover.kit.rest;

import com.google.protobuf.Descriptors;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.kit.grpc.ScopeAuthorizer;
import drover.model.RefusalCode;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * REST over the gRPC services: every method with a {@code google.api.http} option, through a
 * channel to the door that gRPC callers use as well, so that both see the same interceptors,
 * refusals and limits.
 */
public final class RestTranscoder {
    private static final Logger LOG = LoggerFactory.getLogger(RestTranscoder.class);

    private static final Duration DEADLINE = Duration.ofSeconds(10); // requests wait up to 2 s

    private static final int LONGEST_HEADER = 200; // an idempotency key is a UUID, a trace 55 long

    /** Headers that travel on as gRPC metadata of the same name. */
    private static final List<String> PASSED_ON = List.of("idempotency-key", "traceparent");

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of(AuthorizationInterceptor.HEADER, Metadata.ASCII_STRING_MARSHALLER);

    private final RouteTable routes;
    private final Channel channel;
    private final Duration deadline;
    private final @Nullable ScopeAuthorizer gate; // null: the services ask for nothing

    private RestTranscoder(
            RouteTable routes, Channel channel, Duration deadline, @Nullable ScopeAuthorizer gate) {
        this.routes = routes;
        this.channel = channel;
        this.deadline = deadline;
        this.gate = gate;
    }

    /**
     * The services given, called through the channel with a deadline of 10 s.
     *
     * @throws IllegalArgumentException when an option asks for something that is not supported
     */
    public static RestTranscoder of(Channel channel, ServiceDescriptor... services) {
        return of(channel, List.of(services));
    }

    /** The same with a list. */
    public static RestTranscoder of(Channel channel, List<ServiceDescriptor> services) {
        RouteTable routes = new RouteTable(Route.of(services));
        return new RestTranscoder(routes, channel, DEADLINE, null);
    }

    /** The same mapping with another deadline for every call. */
    public RestTranscoder withDeadline(Duration otherDeadline) {
        return new RestTranscoder(routes, channel, otherDeadline, gate);
    }

    /**
     * The same mapping, which asks the gate before it reads what was sent: whoever may not call
     * learns nothing of what is wrong with the call. The service asks again.
     */
    public RestTranscoder withAccessControl(ScopeAuthorizer operators) {
        return new RestTranscoder(routes, channel, deadline, operators);
    }

    HttpResponse handle(HttpRequest request) {
        HttpResponse response = respond(request);
        return request.method().equals("HEAD") ? response.withoutBody() : response;
    }

    private HttpResponse respond(HttpRequest request) {
        try {
            return switch (routes.find(request.method(), request.path())) {
                case RouteTable.Match.Found(Route route, Map<String, String> captures) ->
                        call(route, captures, request);
                case RouteTable.Match.WrongVerb(List<String> allowed) ->
                        wrongVerbResponse(request, allowed);
                case RouteTable.Match.NoSuchPath() ->
                        problem(
                                RefusalCode.ROUTE_NOT_FOUND,
                                "There is no path " + request.path() + ".",
                                request);
            };
        } catch (Refused refused) {
            return ProblemDetails.of(refused, request.path()).toResponse();
        } catch (StatusRuntimeException failure) {
            return failureResponse(failure, request);
        } catch (RuntimeException bug) {
            LOG.error("A request failed by a bug path={}", request.path(), bug);
            return problem(
                    RefusalCode.INTERNAL,
                    "Drover made a mistake; its log has the details.",
                    request);
        }
    }

    private HttpResponse call(Route route, Map<String, String> captures, HttpRequest request) {
        if (gate != null) {
            gate.authorize(
                    grpcMethod(route.method()).getFullMethodName(),
                    request.header(AuthorizationInterceptor.HEADER).orElse(""));
        }
        DynamicMessage message = RequestTranscoder.read(route, captures, request);
        Channel through =
                ClientInterceptors.intercept(
                        channel, MetadataUtils.newAttachHeadersInterceptor(metadata(request)));
        if (route.isStream()) {
            return openStream(route, through, withLastEventId(message, request));
        }
        DynamicMessage answer =
                ClientCalls.blockingUnaryCall(
                        through,
                        grpcMethod(route.method()),
                        CallOptions.DEFAULT.withDeadlineAfter(
                                deadline.toNanos(), TimeUnit.NANOSECONDS),
                        message);
        return UnaryResponseTranscoder.render(route, request.path(), answer);
    }

    /** Without a deadline: the service ends a stream, and says something at once. */
    private static HttpResponse openStream(Route route, Channel through, DynamicMessage message) {
        BlockingClientCall<DynamicMessage, DynamicMessage> call =
                ClientCalls.blockingV2ServerStreamingCall(
                        through, grpcMethod(route.method()), CallOptions.DEFAULT, message);
        try {
            DynamicMessage first = call.read();
            return first == null
                    ? HttpResponse.of(200, ServerSentEventStream.CONTENT_TYPE, "")
                    : HttpResponse.live(
                                    ServerSentEventStream.CONTENT_TYPE,
                                    new ServerSentEventStream(call, first))
                            .with("Cache-Control", "no-store");
        } catch (StatusException e) {
            throw new StatusRuntimeException(e.getStatus(), e.getTrailers());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            call.cancel("the server is stopping", null);
            throw Status.CANCELLED.asRuntimeException();
        }
    }

    /** A browser that comes back says in a header what it saw last. */
    private static DynamicMessage withLastEventId(DynamicMessage message, HttpRequest request) {
        FieldDescriptor field = message.getDescriptorForType().findFieldByName("last_event_id");
        return request.header("last-event-id")
                .filter(id -> field != null && !message.hasField(field))
                .map(id -> message.toBuilder().setField(field, id).build())
                .orElse(message);
    }

    private static Metadata metadata(HttpRequest request) {
        Metadata metadata = new Metadata();
        for (String name : PASSED_ON) {
            request.header(name)
                    .ifPresent(
                            value ->
                                    metadata.put(
                                            Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER),
                                            requirePrintable(name, value)));
        }
        request.header(AuthorizationInterceptor.HEADER)
                .filter(value -> value.matches("[\\x20-\\x7e]+")) // else it can be no key
                .ifPresent(value -> metadata.put(AUTHORIZATION, value));
        return metadata;
    }

    private static String requirePrintable(String name, String value) {
        if (value.length() > LONGEST_HEADER || !value.matches("[\\x21-\\x7e]+")) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "The header "
                            + name
                            + " must be 1 to 200 printable ASCII characters without spaces.",
                    name);
        }
        return value;
    }

    private static MethodDescriptor<DynamicMessage, DynamicMessage> grpcMethod(
            Descriptors.MethodDescriptor method) {
        return MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                .setType(
                        method.isServerStreaming()
                                ? MethodDescriptor.MethodType.SERVER_STREAMING
                                : MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(
                        MethodDescriptor.generateFullMethodName(
                                method.getService().getFullName(), method.getName()))
                .setRequestMarshaller(
                        ProtoUtils.marshaller(
                                DynamicMessage.getDefaultInstance(method.getInputType())))
                .setResponseMarshaller(
                        ProtoUtils.marshaller(
                                DynamicMessage.getDefaultInstance(method.getOutputType())))
                .build();
    }

    private static HttpResponse failureResponse(
            StatusRuntimeException failure, HttpRequest request) {
        return RefusalParser.from(failure)
                .map(refused -> ProblemDetails.of(refused, request.path()).toResponse())
                .orElseGet(() -> failureResponseWithoutReason(failure, request));
    }

    /** Only what the transport itself reports has no reason. */
    private static HttpResponse failureResponseWithoutReason(
            StatusRuntimeException failure, HttpRequest request) {
        return switch (failure.getStatus().getCode()) {
            case DEADLINE_EXCEEDED ->
                    problem(
                            RefusalCode.DEADLINE,
                            "The answer did not come in time; look at the present state before"
                                    + " trying again.",
                            request);
            case RESOURCE_EXHAUSTED ->
                    problem(RefusalCode.OVERLOADED, "Too much at once; try again later.", request);
            case UNAVAILABLE, UNIMPLEMENTED, CANCELLED ->
                    ProblemDetails.notReady(
                                    "Drover is starting or stopping; try again in a second.",
                                    request.path())
                            .toResponse();
            default -> throw failure; // a bug: a status of ours without its reason
        };
    }

    private static HttpResponse wrongVerbResponse(HttpRequest request, List<String> allowed) {
        String verbs = String.join(", ", allowed);
        return problem(
                        RefusalCode.METHOD_NOT_ALLOWED,
                        request.path() + " takes " + verbs + ", not " + request.method() + ".",
                        request)
                .with("Allow", verbs);
    }

    private static HttpResponse problem(RefusalCode code, String sentence, HttpRequest request) {
        return ProblemDetails.of(new Refused(code, sentence), request.path()).toResponse();
    }
}
