package drover.opsagent.fetch;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the {@code Location} of a redirect as browsers and curl do. */
final class RedirectLocationParser {
    /** Scheme, authority, path with query, and fragment. */
    private static final Pattern PARTS =
            Pattern.compile(
                    "([A-Za-z][A-Za-z0-9+.-]*:)?(//[^/?#]*)?([^#]*)(?:#.*)?", Pattern.DOTALL);

    /** What a URI may hold in path and query, apart from escapes. */
    private static final String ALLOWED = "-._~:/?@!$&'()*+,;=";

    private RedirectLocationParser() {}

    /**
     * Resolves a location against the address that redirects. Spaces and raw letters are
     * percent-encoded byte by byte; escapes stay as they are, so that signatures stay valid.
     *
     * @param location as the JDK reads it: one char per byte
     */
    static URI resolve(URI from, String location) {
        Matcher parts = PARTS.matcher(location.strip());
        if (!parts.matches()) {
            throw DownloadFailureFactory.malformedRedirect(from);
        }
        String scheme = parts.group(1) == null ? "" : parts.group(1).toLowerCase(Locale.ROOT);
        String authority = parts.group(2) == null ? "" : parts.group(2);
        String rest = encode(parts.group(3));
        if (scheme.isEmpty() && authority.isEmpty() && rest.startsWith("?")) {
            rest = from.getRawPath() + rest; // java.net.URI would drop the last segment
        }
        try {
            URI base = from.getRawPath().isEmpty() ? from.resolve("/") : from;
            return base.resolve(new URI(scheme + authority + rest));
        } catch (URISyntaxException | IllegalArgumentException _) {
            throw DownloadFailureFactory.malformedRedirect(from);
        }
    }

    private static String encode(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        StringBuilder encoded = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            char c = (char) (bytes[i] & 0xff);
            boolean plain =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || ALLOWED.indexOf(c) >= 0
                            || (c == '%' && isEscape(text, i));
            encoded.append(plain ? String.valueOf(c) : "%%%02X".formatted((int) c));
        }
        return encoded.toString();
    }

    private static boolean isEscape(String text, int at) {
        return at + 2 < text.length()
                && Character.digit(text.charAt(at + 1), 16) >= 0
                && Character.digit(text.charAt(at + 2), 16) >= 0;
    }
}
