package drover.standalone.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The program that the demo upgrades: a real HTTP server in one jar file. It tells its version, the
 * digest of the very file it was started from, and the configuration it read. It needs nothing but
 * the JDK, so that it stands alone on a node.
 */
public final class DemoProgram {
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;

    private final Properties build;
    private final Properties config;
    private final String digest;

    private DemoProgram(Properties build, Properties config, String digest) {
        this.build = build;
        this.config = config;
        this.digest = digest;
    }

    /** Starts with the place of its configuration file as the one argument. */
    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        if (arguments.length != 1) {
            System.err.println("usage: java -jar greeter.jar CONFIG");
            System.exit(2);
        }
        new DemoProgram(readBuildProperties(), read(Path.of(arguments[0])), ownDigest()).serve();
    }

    private void serve() throws IOException, InterruptedException {
        int port = Integer.parseInt(config.getProperty("port"));
        InetAddress local = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(local, port), 0);
        server.createContext("/version", exchange -> answer(exchange, OK, versionJson()));
        server.createContext("/health", exchange -> answer(exchange, OK, "{\"status\":\"ok\"}"));
        server.createContext("/", exchange -> answer(exchange, NOT_FOUND, "{}"));
        server.start();
        System.out.println("greeter " + build.getProperty("version") + " listens on port " + port);
        failIfBroken();
    }

    /** One release has a fault: it starts, and falls over a moment later, every time. */
    private void failIfBroken() throws InterruptedException {
        String after = build.getProperty("falls_over_after_ms");
        if (after != null) {
            Thread.currentThread().join(Long.parseLong(after)); // waits for nobody but the time
            System.err.println("greeter: the index of greetings is missing; giving up");
            System.exit(1);
        }
    }

    private String versionJson() {
        Map<String, String> sorted = new TreeMap<>();
        config.stringPropertyNames().forEach(name -> sorted.put(name, config.getProperty(name)));
        StringBuilder json = new StringBuilder("{\"version\":");
        json.append(quoted(build.getProperty("version")));
        json.append(",\"digest\":").append(quoted(digest)).append(",\"config\":{");
        String separator = "";
        for (Map.Entry<String, String> entry : sorted.entrySet()) {
            json.append(separator).append(quoted(entry.getKey()));
            json.append(':').append(quoted(entry.getValue()));
            separator = ",";
        }
        return json.append("}}").toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private static Properties readBuildProperties() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = DemoProgram.class.getResourceAsStream("/version.properties")) {
            properties.load(in);
        }
        return properties;
    }

    private static Properties read(Path file) throws IOException {
        Properties properties = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            properties.load(in);
        }
        return properties;
    }

    private static String ownDigest()
            throws IOException, NoSuchAlgorithmException, URISyntaxException {
        Path jar =
                Path.of(
                        DemoProgram.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
        return "sha256:" + HexFormat.of().formatHex(hash);
    }
}
