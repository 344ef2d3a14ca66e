package drover.kit.rest;

import com.google.protobuf.ByteString;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer, whole; or one whose body is written as it comes about.
 *
 * @param live null when the body is whole
 */
record HttpResponse(
        int status,
        String contentType,
        Map<String, String> headers,
        ByteString body,
        @Nullable StreamingBody live) {
    static final String JSON = "application/json";

    /** A body that goes on. */
    interface StreamingBody {
        /** Writes until it ends or nobody reads it any more. */
        void writeTo(OutputStream out);
    }

    HttpResponse {
        headers = Map.copyOf(headers);
    }

    static HttpResponse of(int status, String contentType, String body) {
        return new HttpResponse(status, contentType, Map.of(), ByteString.copyFromUtf8(body), null);
    }

    static HttpResponse live(String contentType, StreamingBody live) {
        return new HttpResponse(200, contentType, Map.of(), ByteString.EMPTY, live);
    }

    /** The response to HEAD: its length is that of the body that GET sends (RFC 9110, 8.6). */
    HttpResponse withoutBody() {
        return new HttpResponse(status, contentType, headers, ByteString.EMPTY, null)
                .with("Content-Length", Integer.toString(body.size()));
    }

    HttpResponse with(String header, String value) {
        Map<String, String> all = new HashMap<>(headers);
        all.put(header, value);
        return new HttpResponse(status, contentType, all, body, live);
    }
}
