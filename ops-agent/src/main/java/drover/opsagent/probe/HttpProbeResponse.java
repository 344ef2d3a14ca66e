package drover.opsagent.probe;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Response to one GET over a connection that is already open. The libraries of the JDK resolve
 * names themselves, so a name could lead elsewhere between check and connection.
 *
 * @param status code of the final response; redirects are not followed
 * @param body the beginning of it
 */
record HttpProbeResponse(int status, String body) {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_LINE = 8 * 1024;
    private static final int MAX_LINES = 200;

    /**
     * Sends the request and reads the response.
     *
     * @param whole whether the body is read: a page may never end
     */
    static HttpProbeResponse get(Socket socket, URI page, boolean whole) throws IOException {
        String path = page.getRawPath().isEmpty() ? "/" : page.getRawPath();
        String query = page.getRawQuery() == null ? "" : "?" + page.getRawQuery();
        String port = page.getPort() < 0 ? "" : ":" + page.getPort();
        String request =
                """
                GET %s%s HTTP/1.1
                Host: %s%s
                User-Agent: drover-agent
                Accept: */*
                Connection: close

                """
                        .formatted(path, query, page.getHost(), port)
                        .replace("\n", "\r\n");
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        InputStream in = new BufferedInputStream(socket.getInputStream());
        int status = status(in);
        Map<String, String> headers = readHeaders(in);
        while (status / 100 == 1) { // ends with the response, or when the timeout closes the socket
            status = status(in);
            headers = readHeaders(in);
        }
        return new HttpProbeResponse(status, whole ? body(in, headers) : "");
    }

    private static int status(InputStream in) throws IOException {
        String line = readLine(in);
        if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
            throw new IOException("no answer in HTTP");
        }
        return Integer.parseInt(line.substring(9, 12));
    }

    private static Map<String, String> readHeaders(InputStream in) throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < MAX_LINES; i++) {
            String line = readLine(in);
            if (line.isEmpty()) {
                return headers;
            }
            int colon = Math.max(0, line.indexOf(':'));
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip().toLowerCase(Locale.ROOT));
        }
        throw new IOException("too many headers");
    }

    private static String body(InputStream in, Map<String, String> headers) throws IOException {
        byte[] body =
                "chunked".equals(headers.get("transfer-encoding"))
                        ? readChunks(in)
                        : in.readNBytes(
                                Math.min(
                                        MAX_BYTES,
                                        parseLength(
                                                headers.getOrDefault("content-length", ""), 10)));
        return new String(body, StandardCharsets.UTF_8);
    }

    private static byte[] readChunks(InputStream in) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (body.size() < MAX_BYTES) {
            int size = parseLength(readLine(in).split(";", 2)[0].strip(), 16);
            if (size == 0) {
                break;
            }
            body.write(in.readNBytes(Math.min(size, MAX_BYTES - body.size())));
            if (body.size() < MAX_BYTES && !readLine(in).isEmpty()) {
                throw new IOException("a chunk that is malformed");
            }
        }
        return body.toByteArray();
    }

    /** A length; as much as is read at most if there is none. */
    private static int parseLength(String text, int radix) throws IOException {
        try {
            return text.isEmpty()
                    ? MAX_BYTES
                    : Math.clamp(Long.parseLong(text, radix), 0, MAX_BYTES + 1);
        } catch (NumberFormatException e) {
            throw new IOException("a length that is malformed", e);
        }
    }

    private static String readLine(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.length() == MAX_LINE) {
                throw new IOException("an answer that ends early or has a line that is too long");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }
}
