package drover.opsagent.fetch;

import java.net.Proxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads how a node reaches private hosts of artifacts: per origin a credential's file, a file of
 * authorities, and a proxy. The file itself and those that it names are the node's own.
 */
public final class HostAccessFile {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                    .build();

    /** What the file says. */
    private record Content(@Nullable Map<String, HostEntry> hosts) {}

    /** Of one origin; what is missing is not needed. */
    private record HostEntry(
            @Nullable String bearer_file,
            @Nullable String user,
            @Nullable String password_file,
            @Nullable String ca_file,
            @Nullable String proxy) {}

    private HostAccessFile() {}

    /**
     * Reads it, and looks at the files it names.
     *
     * @throws IllegalArgumentException with one sentence when one cannot be trusted or understood
     */
    public static HostAccessByOrigin read(Path file) {
        Path at = file.toAbsolutePath().normalize();
        byte[] bytes = ProtectedFileReader.readPrivate(at);
        Content content;
        try {
            content = JSON.readValue(bytes, Content.class);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(at + " cannot be read: " + errorLocation(e), e);
        }
        Map<String, HostEntry> hosts = content.hosts();
        if (hosts == null || hosts.isEmpty()) {
            throw new IllegalArgumentException(
                    at + " lists no hosts: write {\"hosts\": {\"https://HOST\": {…}}}.");
        }
        Map<Origin, HostConnectionSettings> byOrigin = new HashMap<>();
        hosts.forEach(
                (name, entry) -> {
                    if (byOrigin.put(parseOrigin(at, name), toHostAccess(at, name, entry))
                            != null) {
                        throw invalidEntry(at, name, "is listed twice: keep one");
                    }
                });
        return new HostAccessByOrigin(byOrigin);
    }

    private static Origin parseOrigin(Path at, String name) {
        URI uri;
        try {
            uri = URI.create(name);
        } catch (IllegalArgumentException _) {
            throw invalidEntry(
                    at, name, "is no origin: write it like https://artifacts.example:8443");
        }
        boolean scheme = "https".equals(uri.getScheme()) || "http".equals(uri.getScheme());
        boolean bare =
                uri.getHost() != null
                        && uri.getRawUserInfo() == null
                        && String.valueOf(uri.getRawPath()).isEmpty()
                        && uri.getRawQuery() == null
                        && uri.getRawFragment() == null;
        if (!scheme || !bare) {
            throw invalidEntry(
                    at, name, "is no origin: write it like https://artifacts.example:8443");
        }
        return Origin.of(uri);
    }

    private static HostConnectionSettings toHostAccess(Path at, String name, HostEntry entry) {
        HostCredential credential = readCredential(at, name, entry);
        boolean secret = !(credential instanceof HostCredential.None);
        if (name.startsWith("http:") && (secret || entry.ca_file() != null)) {
            throw invalidEntry(
                    at, name, "would be shown a secret that all on the way can read: use https");
        }
        List<Path> authorities =
                entry.ca_file() == null ? List.of() : List.of(Path.of(entry.ca_file()));
        Proxy proxy =
                entry.proxy() == null
                        ? Proxy.NO_PROXY
                        : HostAccessByOrigin.parseProxy(entry.proxy());
        HostConnectionSettings access = new HostConnectionSettings(credential, authorities, proxy);
        access.requireFilesReadable();
        return access;
    }

    private static HostCredential readCredential(Path at, String name, HostEntry entry) {
        String user = entry.user();
        String password = entry.password_file();
        if (user != null && password != null && entry.bearer_file() == null) {
            if (user.contains(":")) {
                throw invalidEntry(
                        at, name, "has a user with a colon, which no server can tell apart");
            }
            return new HostCredential.BasicWithPasswordFile(user, Path.of(password));
        }
        if (user != null || password != null) {
            throw invalidEntry(
                    at, name, "takes user and password_file together, or bearer_file alone");
        }
        return entry.bearer_file() == null
                ? new HostCredential.None()
                : new HostCredential.BearerTokenFile(Path.of(entry.bearer_file()));
    }

    private static IllegalArgumentException invalidEntry(Path at, String name, String why) {
        return new IllegalArgumentException(at + ": '" + name + "' " + why + ".");
    }

    /** Where it went wrong, without what is written there: it may be a secret put in by mistake. */
    private static String errorLocation(JacksonException e) {
        return "it is not the JSON that is described in docs/operations.md, line "
                + e.getLocation().getLineNr()
                + ", column "
                + e.getLocation().getColumnNr()
                + ".";
    }
}
