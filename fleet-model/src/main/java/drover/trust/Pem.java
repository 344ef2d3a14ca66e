package drover.trust;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Keys as text, in the form that every other tool reads, too (RFC 7468). */
public final class Pem {
    private static final Base64.Encoder LINES =
            Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

    private Pem() {}

    /** A block of this label. */
    public static String write(String label, byte[] bytes) {
        return beginLine(label) + "\n" + LINES.encodeToString(bytes) + "\n" + endLine(label) + "\n";
    }

    /**
     * The bytes of the one block of this label.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static byte[] read(String label, String text) {
        String stripped = text.strip();
        if (!stripped.startsWith(beginLine(label)) || !stripped.endsWith(endLine(label))) {
            throw new IllegalArgumentException("It is no PEM file with a " + label);
        }
        String body =
                stripped.substring(
                        beginLine(label).length(), stripped.length() - endLine(label).length());
        return Base64.getDecoder().decode(body.replaceAll("\\s", ""));
    }

    private static String beginLine(String label) {
        return "-----BEGIN " + label + "-----";
    }

    private static String endLine(String label) {
        return "-----END " + label + "-----";
    }
}
