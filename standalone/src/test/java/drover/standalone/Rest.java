package drover.standalone;

import drover.machine.home.DataDirectory;
import drover.machine.home.RunningMesh;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls REST as anybody would: text in, text out, nothing of Drover's own code. */
final class Rest implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient client;
    private final String base;
    private final String key;
    private final String approving;

    /** Of a program that asks for nothing. */
    Rest(int port) {
        this(port, "", "");
    }

    /** With one key for everything. */
    Rest(int port, String key) {
        this(port, key, key);
    }

    private Rest(int port, String key, String approving) {
        this(HttpClient.newHttpClient(), "http://127.0.0.1:" + port, key, approving);
    }

    private Rest(HttpClient client, String base, String key, String approving) {
        this.client = client;
        this.base = base;
        this.key = key;
        this.approving = approving;
    }

    /** Over TLS, to one that this authority signed for 127.0.0.1. */
    static Rest proven(int port, String key, X509Certificate authority)
            throws GeneralSecurityException, IOException {
        KeyStore believed = KeyStore.getInstance(KeyStore.getDefaultType());
        believed.load(null, null);
        believed.setCertificateEntry("authority", authority);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(believed);
        SSLContext tls = SSLContext.getInstance("TLSv1.3");
        tls.init(null, trust.getTrustManagers(), null);
        HttpClient client = HttpClient.newBuilder().sslContext(tls).build();
        return new Rest(client, "https://127.0.0.1:" + port, key, key);
    }

    /** Of a mesh, with the administrator's key; the approver's for what it lets go on. */
    static Rest of(RunningMesh mesh, DataDirectory data) {
        return new Rest(mesh.httpPort(), key(data.adminKey()), key(data.approverKey()));
    }

    private static String key(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new AssertionError("There is no key " + file, e);
        }
    }

    /**
     * What came back.
     *
     * @param type of the content, without parameters
     * @param location empty when none was sent
     */
    record Answer(int status, String type, String location, JsonNode body) {
        String text(String pointer) {
            return body.at(pointer).asString("");
        }
    }

    Answer get(String path) {
        return send(path, request(path).GET());
    }

    /** Posts JSON; headers are pairs of name and value. */
    Answer post(String path, String json, String... headers) {
        HttpRequest.Builder request =
                request(path)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(json));
        return send(path, headers.length == 0 ? request : request.headers(headers));
    }

    /** The data of a stream's first event, without waiting for the stream's end. */
    Answer event(String path) {
        try {
            HttpResponse<Stream<String>> answer =
                    client.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofLines());
            String type = answer.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
            try (Stream<String> lines = answer.body()) {
                String data =
                        lines.filter(line -> line.startsWith("data: "))
                                .findFirst()
                                .orElse("data: {}");
                return new Answer(answer.statusCode(), type, "", JSON.readTree(data.substring(6)));
            }
        } catch (IOException e) {
            throw new AssertionError("REST does not answer at " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path)).timeout(Waits.LIMIT);
        String brought = path.matches(".*/(approve-canary|force)") ? approving : key;
        return brought.isEmpty() ? request : request.header("Authorization", "Bearer " + brought);
    }

    private Answer send(String path, HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            String type = answer.headers().firstValue("Content-Type").orElse("").split(";", 2)[0];
            String text = answer.body();
            return new Answer(
                    answer.statusCode(),
                    type,
                    answer.headers().firstValue("Location").orElse(""),
                    type.endsWith("json")
                            ? JSON.readTree(text)
                            : JSON.getNodeFactory().stringNode(text));
        } catch (IOException e) {
            throw new AssertionError("REST does not answer at " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
