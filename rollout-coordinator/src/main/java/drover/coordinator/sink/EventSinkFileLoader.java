package drover.coordinator.sink;

import drover.coordinator.sink.WebhookSink.WebhookConfig;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The file {@code events.yaml}: who outside Drover is told what happens. Read once, at the start.
 * {@code docs/formats.md} lists its fields; anything else in it is refused.
 */
public final class EventSinkFileLoader {
    private static final String STANDARD_SECRET = "whsec_"; // then base64, as Standard Webhooks say
    private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int SHORTEST_SECRET = 16; // bytes; a shorter one can be tried out

    private final Path file;

    private EventSinkFileLoader(Path file) {
        this.file = file;
    }

    /**
     * The receivers of a file; none when there is no such file.
     *
     * @throws IllegalArgumentException with one sentence, when something in it is not right
     */
    public static List<EventSink> readIfExists(Path file) {
        return Files.exists(file) ? new EventSinkFileLoader(file).readSinks() : List.of();
    }

    private List<EventSink> readSinks() {
        Map<?, ?> whole = requireMap(readYaml(), "the file", Set.of("nats", "webhooks"));
        List<EventSink> sinks = new ArrayList<>();
        if (whole.get("nats") != null) {
            sinks.add(
                    parseNats(
                            requireMap(
                                    whole.get("nats"), "nats", Set.of("url", "credentials_file"))));
        }
        Set<String> names = new HashSet<>(Set.of("nats"));
        for (Object each : listOrEmpty(whole.get("webhooks"))) {
            WebhookConfig webhook = parseWebhook(each);
            require(names.add(webhook.name()), "the name " + webhook.name() + " is given twice");
            sinks.add(new WebhookSink(webhook, InstantSource.system()));
        }
        return List.copyOf(sinks);
    }

    private @Nullable Object readYaml() {
        try {
            return new Load(LoadSettings.builder().setLabel(file.toString()).build())
                    .loadFromString(Files.readString(file));
        } catch (IOException | YamlEngineException e) {
            throw invalidConfig("it cannot be read: " + e.getMessage());
        }
    }

    private NatsSink parseNats(Map<?, ?> nats) {
        String url = requireText(nats, "url");
        require(
                url.matches("(nats|tls)://[^\\s]+"),
                "nats.url must look like nats://host:4222 or tls://host:4222");
        Object credentials = nats.get("credentials_file");
        return new NatsSink(
                url, credentials == null ? "" : resolvePath(credentials.toString()).toString());
    }

    private WebhookConfig parseWebhook(Object each) {
        Map<?, ?> webhook =
                requireMap(each, "a webhook", Set.of("name", "url", "secret_file", "events"));
        String name = requireText(webhook, "name");
        require(
                name.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"),
                "a webhook's name has 1 to 63 lower-case letters, digits and inner hyphens");
        Object events = webhook.get("events");
        String which = events == null ? "notifications" : events.toString();
        require(
                Set.of("notifications", "all").contains(which),
                "events of webhook " + name + " are 'notifications' or 'all'");
        return new WebhookConfig(
                name,
                parseUrl(name, requireText(webhook, "url")),
                readSecret(name, requireText(webhook, "secret_file")),
                which.equals("notifications"));
    }

    /** In clear only to this machine: what happens in a fleet is nobody else's business. */
    private URI parseUrl(String name, String text) {
        try {
            URI url = new URI(text);
            String host = url.getHost();
            boolean plainly = "http".equals(url.getScheme()) && host != null && HERE.contains(host);
            require(
                    host != null && ("https".equals(url.getScheme()) || plainly),
                    "the url of webhook " + name + " must begin with https://");
            return url;
        } catch (URISyntaxException e) {
            throw invalidConfig("the url of webhook " + name + " is not one: " + e.getMessage());
        }
    }

    private byte[] readSecret(String name, String path) {
        try {
            String text = Files.readString(resolvePath(path)).strip();
            byte[] secret =
                    text.startsWith(STANDARD_SECRET)
                            ? Base64.getDecoder().decode(text.substring(STANDARD_SECRET.length()))
                            : text.getBytes(StandardCharsets.UTF_8);
            require(
                    secret.length >= SHORTEST_SECRET,
                    "the secret of webhook " + name + " must have 16 bytes or more");
            return secret;
        } catch (IOException e) {
            throw invalidConfig(
                    "the secret of webhook " + name + " cannot be read: " + e.getMessage());
        }
    }

    /** Relative paths are relative to this file. */
    private Path resolvePath(String path) {
        return file.toAbsolutePath().resolveSibling(path);
    }

    private Map<?, ?> requireMap(@Nullable Object value, String where, Set<String> known) {
        if (!(value instanceof Map<?, ?> map)) {
            throw invalidConfig(where + " must be a block of fields");
        }
        for (Object key : map.keySet()) {
            require(
                    known.contains(String.valueOf(key)),
                    where
                            + " has no field '"
                            + key
                            + "'; there are "
                            + String.join(", ", new TreeSet<>(known)));
        }
        return map;
    }

    private List<?> listOrEmpty(@Nullable Object value) {
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            return list;
        }
        throw invalidConfig("webhooks must be a list");
    }

    private String requireText(Map<?, ?> map, String key) {
        Object value = map.get(key);
        if (value == null || value.toString().isBlank()) {
            throw invalidConfig("the field '" + key + "' is missing");
        }
        return value.toString();
    }

    private void require(boolean right, String otherwise) {
        if (!right) {
            throw invalidConfig(otherwise);
        }
    }

    private IllegalArgumentException invalidConfig(String what) {
        return new IllegalArgumentException("Look at " + file + ": " + what + ".");
    }
}
