package drover.kit.rest;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.helidon.http.DirectHandler.EventType;
import io.helidon.http.DirectHandler.TransportRequest;
import io.helidon.http.DirectHandler.TransportResponse;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Responses of an HTTP endpoint that are the same for all services, and how they are sent. */
final class ReadinessAndRejectionResponses {
    private static final Logger LOG = LoggerFactory.getLogger(ReadinessAndRejectionResponses.class);

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ReadinessAndRejectionResponses() {}

    static HttpResponse readinessResponse(List<String> problems, List<String> notices) {
        return problems.isEmpty()
                ? HttpResponse.of(200, HttpResponse.JSON, readyBody(notices))
                : ProblemDetails.notReady(String.join(" ", problems), "/readyz").toResponse();
    }

    private static String readyBody(List<String> notices) {
        ObjectNode body = JSON.createObjectNode();
        body.put("status", "ready");
        if (!notices.isEmpty()) {
            ArrayNode received = body.putArray("notices");
            notices.forEach(received::add);
        }
        return JSON.writeValueAsString(body);
    }

    /** Problem document for a request that the web server itself rejects. */
    static TransportResponse rejectionResponse(
            TransportRequest request,
            EventType type,
            Status status,
            ServerResponseHeaders headers,
            String message) {
        return lastResponse(rejection(request, type, status).toResponse(), headers);
    }

    /** The response to a request that the web server does not route; the connection is closed. */
    static TransportResponse lastResponse(HttpResponse response, ServerResponseHeaders headers) {
        response.headers().forEach((name, value) -> headers.set(HeaderNames.create(name), value));
        return TransportResponse.builder()
                .status(Status.create(response.status()))
                .headers(headers)
                .header(HeaderNames.CONTENT_TYPE, response.contentType())
                .keepAlive(false)
                .entity(response.body().toByteArray())
                .build();
    }

    private static ProblemDetails rejection(
            TransportRequest request, EventType type, Status status) {
        if (type == EventType.HTTP_VERSION_NOT_SUPPORTED) {
            return problem(
                    RefusalCode.INVALID_FIELD,
                    "The API takes no HTTP/1.0: send HTTP/1.1 (nginx: proxy_http_version 1.1;"
                            + " HAProxy: http-check send ver HTTP/1.1).",
                    status.code(),
                    request);
        }
        return request.headers().contains(HeaderNames.CONTENT_ENCODING)
                ? problem(
                        RefusalCode.BODY_NOT_JSON,
                        "The body is compressed: send JSON without Content-Encoding.",
                        Status.UNSUPPORTED_MEDIA_TYPE_415.code(),
                        request)
                : problem(
                        RefusalCode.INVALID_FIELD,
                        "The request is no well-formed HTTP; check its address and headers.",
                        status.code(),
                        request);
    }

    private static ProblemDetails problem(
            RefusalCode code, String sentence, int status, TransportRequest request) {
        return ProblemDetails.of(new Refused(code, sentence), request.path()).withStatus(status);
    }

    static void send(ServerResponse response, HttpResponse answer) {
        response.status(answer.status());
        response.header("Content-Type", answer.contentType());
        answer.headers().forEach(response::header);
        HttpResponse.StreamingBody live = answer.live();
        if (live == null) {
            response.send(answer.body().toByteArray());
        } else {
            writeStream(response, live);
        }
    }

    private static void writeStream(ServerResponse response, HttpResponse.StreamingBody live) {
        try (OutputStream out = response.outputStream()) {
            live.writeTo(out);
        } catch (IOException | UncheckedIOException e) {
            LOG.debug("A listener has gone reason={}", e.getMessage());
        }
    }
}
