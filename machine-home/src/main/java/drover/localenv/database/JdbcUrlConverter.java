package drover.localenv.database;

import drover.localenv.UserFacingError;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Reads the address of a database as people write it. */
final class JdbcUrlConverter {
    private static final String JDBC = "jdbc:postgresql:";

    private JdbcUrlConverter() {}

    /**
     * The JDBC form of {@code jdbc:postgresql://…} or {@code postgres://user:password@host/name}.
     *
     * @throws UserFacingError for anything else
     */
    static String toJdbcUrl(String text) {
        if (text.startsWith(JDBC)) {
            return text;
        }
        if (text.startsWith("postgres://") || text.startsWith("postgresql://")) {
            try {
                return fromUri(URI.create(text));
            } catch (IllegalArgumentException e) {
                throw malformed(e);
            }
        }
        throw malformed(null);
    }

    private static String fromUri(URI uri) {
        if (uri.getHost() == null || uri.getPath() == null || uri.getPath().length() < 2) {
            throw malformed(null);
        }
        StringBuilder jdbc = new StringBuilder(JDBC).append("//").append(uri.getHost());
        if (uri.getPort() > 0) {
            jdbc.append(':').append(uri.getPort());
        }
        jdbc.append(uri.getRawPath());
        char separator = '?';
        if (uri.getRawQuery() != null) {
            jdbc.append(separator).append(uri.getRawQuery());
            separator = '&';
        }
        String user = uri.getUserInfo();
        if (user != null) {
            int colon = user.indexOf(':');
            jdbc.append(separator)
                    .append("user=")
                    .append(encode(colon < 0 ? user : user.substring(0, colon)));
            if (colon >= 0) {
                jdbc.append("&password=").append(encode(user.substring(colon + 1)));
            }
        }
        return jdbc.toString();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Never repeats the text: it may hold a password (invariant H14). */
    private static UserFacingError malformed(@org.jspecify.annotations.Nullable Exception cause) {
        String sentence =
                "--postgres takes the address of a database: write"
                        + " postgres://user:password@host:5432/name.";
        return cause == null ? new UserFacingError(sentence) : new UserFacingError(sentence, cause);
    }
}
