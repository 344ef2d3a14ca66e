package drover.kit.http;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.Map;

/** An answer, whole. */
record HttpResponse(int status, String contentType, Map<String, String> headers, ByteString body) {
    static final String JSON = "application/json";

    HttpResponse {
        headers = Map.copyOf(headers);
    }

    static HttpResponse of(int status, String contentType, String body) {
        return new HttpResponse(status, contentType, Map.of(), ByteString.copyFromUtf8(body));
    }

    HttpResponse withoutBody() {
        return new HttpResponse(status, contentType, headers, ByteString.EMPTY);
    }

    HttpResponse with(String header, String value) {
        Map<String, String> all = new HashMap<>(headers);
        all.put(header, value);
        return new HttpResponse(status, contentType, all, body);
    }
}
