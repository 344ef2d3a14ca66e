package drover.kit.rest;

import com.google.protobuf.ByteString;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A request as the mapping sees it.
 *
 * @param path as sent, not decoded
 * @param query as sent, without the question mark
 * @param headers by lower-case name
 * @param body reads the body; not called before the access check
 */
record HttpRequest(
        String method,
        String path,
        String query,
        Map<String, String> headers,
        Supplier<ByteString> body) {
    HttpRequest {
        headers = Map.copyOf(headers);
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }
}
