package drover.model.program;

import drover.model.NodePath;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Probe of a cluster member with a driver of the contract {@code drover-cluster/1}.
 *
 * @param driver {@link #ETCD}, or the absolute path of an executable
 * @param endpoint address of the member; may be empty for an executable that knows its member
 * @param interval how often, from {@link #MIN_INTERVAL} to {@link #MAX_INTERVAL}
 * @param caFile etcd with TLS: CAs of its certificates
 * @param certFile etcd with mutual TLS: client certificate
 * @param keyFile etcd with mutual TLS: its key
 * @param userFile etcd with authentication: one line {@code NAME:PASSWORD}
 */
public record ClusterProbe(
        String driver,
        String endpoint,
        Duration interval,
        Optional<NodePath> caFile,
        Optional<NodePath> certFile,
        Optional<NodePath> keyFile,
        Optional<NodePath> userFile) {
    /** The built-in driver. */
    public static final String ETCD = "etcd";

    public static final Duration MIN_INTERVAL = Duration.ofSeconds(1);
    public static final Duration MAX_INTERVAL = Duration.ofMinutes(1);
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(5);

    private static final int MAX_ENDPOINT = 1024;

    /**
     * Checks that the fields are valid and belong together.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public ClusterProbe {
        var _ = requireDriver(driver);
        if (interval.compareTo(MIN_INTERVAL) < 0 || interval.compareTo(MAX_INTERVAL) > 0) {
            throw new IllegalArgumentException("The interval must be from 1 s to 1 min.");
        }
        requireEndpoint(driver, endpoint);
        requireFiles(driver, caFile, certFile, keyFile, userFile);
    }

    /** Whether the driver is built in. */
    public boolean usesEtcd() {
        return driver.equals(ETCD);
    }

    /**
     * Returns the name of a driver.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public static String requireDriver(String driver) {
        return driver.equals(ETCD) ? driver : requireFile(driver, "etcd, or ").value();
    }

    /**
     * Returns the path of a file on the node.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public static NodePath requireFile(String path) {
        return requireFile(path, "");
    }

    private static NodePath requireFile(String path, String alternative) {
        try {
            return new NodePath(path);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The value is no path: write "
                            + alternative
                            + "an absolute path without '.', '..' and empty parts.",
                    e);
        }
    }

    /**
     * Checks the address of a member.
     *
     * @throws IllegalArgumentException with one sentence, without the text: it may hold a password
     */
    public static void requireEndpoint(String driver, String endpoint) {
        if (driver.equals(ETCD)) {
            var _ = requireEtcdEndpoint(endpoint);
        } else if (endpoint.length() > MAX_ENDPOINT
                || endpoint.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "The endpoint must have at most 1,024 characters, none of them control"
                            + " characters.");
        }
    }

    /**
     * Parses the address of a member of etcd.
     *
     * @throws IllegalArgumentException with one sentence, without the text: it may hold a password
     */
    public static URI requireEtcdEndpoint(String text) {
        try {
            URI parsed = new URI(text.replaceFirst("/+$", ""));
            boolean known = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
            boolean bare =
                    parsed.getRawUserInfo() == null
                            && parsed.getRawQuery() == null
                            && parsed.getRawFragment() == null
                            && parsed.getRawPath() != null
                            && parsed.getRawPath().isEmpty();
            if (known && bare && parsed.getHost() != null) {
                return parsed;
            }
        } catch (URISyntaxException _) {
            // reported below; its message repeats the text
        }
        throw new IllegalArgumentException(
                "The address is no endpoint of etcd: write https://HOST:PORT without a path, a query"
                        + " or a user; a user belongs into the user file.");
    }

    /**
     * Checks that files are for the built-in driver and belong together.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public static void requireFiles(
            String driver,
            Optional<?> caFile,
            Optional<?> certFile,
            Optional<?> keyFile,
            Optional<?> userFile) {
        boolean any = Stream.of(caFile, certFile, keyFile, userFile).anyMatch(Optional::isPresent);
        if (any && !driver.equals(ETCD)) {
            throw new IllegalArgumentException(
                    "ca, cert, key and user_file are for the driver etcd: configure an executable by"
                            + " its own files.");
        }
        if (certFile.isPresent() != keyFile.isPresent()) {
            throw new IllegalArgumentException(
                    "A client certificate and its key belong together: give both or neither.");
        }
        if (certFile.isPresent() && caFile.isEmpty()) {
            throw new IllegalArgumentException(
                    "A client certificate needs the CA of etcd's certificates: give ca, too.");
        }
    }
}
