package drover.model.program;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Address from which a program's file is downloaded: http, https or file, without a credential.
 * Creation, manifests, node files and agents parse addresses here, so that an address that one of
 * them accepts is accepted by all.
 *
 * @param uri the address in ASCII, with its scheme in lower case
 */
public record DownloadAddress(URI uri) {
    private static final int MAX_LENGTH = 2_000;
    private static final int MAX_PORT = 65_535;
    private static final Set<String> WEB = Set.of("http", "https");

    /** Scheme, and the rest. */
    private static final Pattern SCHEME =
            Pattern.compile("(https?|file):(.*)", Pattern.CASE_INSENSITIVE);

    /** Scheme and slashes, credential, and the rest. */
    private static final Pattern WITH_CREDENTIAL =
            Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@(.*)", Pattern.DOTALL);

    /** Where an address starts in a text, up to the next space. */
    private static final Pattern IN_TEXT = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://\\S+");

    /**
     * Parses an address. Raw letters outside ASCII are percent-encoded as UTF-8.
     *
     * @throws IllegalArgumentException with one sentence that states the fault; it contains neither
     *     credential nor query
     */
    public static DownloadAddress parse(String text) {
        if (text.length() > MAX_LENGTH) {
            throw malformed(text, "it is longer than " + MAX_LENGTH + " characters");
        }
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw malformed(text, "it contains a control character; remove it");
        }
        if (text.codePoints().anyMatch(Character::isSpaceChar)) {
            throw malformed(text, "it contains a space; write %20 instead");
        }
        Matcher scheme = SCHEME.matcher(text);
        if (!scheme.matches()) {
            throw malformed(text, "use an http, https or file address");
        }
        return parseAscii(
                text,
                scheme.group(1).toLowerCase(Locale.ROOT) + ":" + encodeNonAscii(scheme.group(2)));
    }

    private static DownloadAddress parseAscii(String text, String ascii) {
        URI uri;
        try {
            uri = new URI(ascii);
        } catch (URISyntaxException _) {
            throw malformed(text, "percent-encode the characters that an address may not contain");
        }
        if (hasCredential(uri)) {
            throw malformed(
                    text,
                    "it contains a credential, which everyone who may read the rollout could read;"
                            + " remove it and list the host in the nodes' --artifact-hosts file");
        }
        boolean web = WEB.contains(uri.getScheme());
        if (web && (uri.getHost() == null || uri.getPort() > MAX_PORT)) {
            throw malformed(text, "it names no host, or no valid host and port");
        }
        if (!web && (uri.getRawAuthority() != null || !hasNonRootPath(uri))) {
            throw malformed(text, "write a file address as file:///absolute/path");
        }
        return new DownloadAddress(uri);
    }

    private static boolean hasNonRootPath(URI uri) {
        String path = uri.getRawPath();
        return path != null && path.startsWith("/") && path.length() > 1;
    }

    private static boolean hasCredential(URI uri) {
        return uri.getRawAuthority() != null && uri.getRawAuthority().contains("@");
    }

    /** Whether {@link #parse} accepts the text. */
    public static boolean isValid(String text) {
        try {
            parse(text);
            return true;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    /**
     * Removes credential, query and fragment, any of which may hold a secret (H14). For output that
     * people read. Other text, such as the name of an image, stays as it is.
     */
    public static String redact(String address) {
        int end = address.length();
        for (char mark : new char[] {'?', '#'}) {
            int at = address.indexOf(mark);
            end = at >= 0 && at < end ? at : end;
        }
        String shown = address.substring(0, end);
        Matcher credential = WITH_CREDENTIAL.matcher(shown);
        return credential.matches() ? credential.group(1) + credential.group(2) : shown;
    }

    /** The text with each address in it as {@link #redact} shows it. */
    public static String redactAll(String text) {
        return IN_TEXT.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(redact(found.group())));
    }

    /** The address without query and fragment, for output that people read. */
    public String redacted() {
        return redact(uri.toString());
    }

    private static IllegalArgumentException malformed(String text, String fault) {
        // An '@' after a slash in a malformed address may still be the end of a credential.
        String shown = text.contains("@") ? "" : " '" + shorten(redact(text)) + "'";
        return new IllegalArgumentException(
                "The address" + shown + " cannot be downloaded: " + fault + ".");
    }

    private static String shorten(String text) {
        String printable =
                text.codePoints()
                        .map(c -> Character.isISOControl(c) ? '\uFFFD' : c)
                        .collect(
                                StringBuilder::new,
                                StringBuilder::appendCodePoint,
                                StringBuilder::append)
                        .toString();
        return printable.length() <= 120 ? printable : printable.substring(0, 120) + "…";
    }

    private static String encodeNonAscii(String text) {
        StringBuilder ascii = new StringBuilder();
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            if (one < 0) {
                ascii.append('%').append("%02X".formatted(one & 0xff));
            } else {
                ascii.append((char) one);
            }
        }
        return ascii.toString();
    }
}
