package drover.trust.identity;

import drover.model.MalformedValue;
import drover.model.NodeId;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A name in a certificate: {@code spiffe://<trust domain>/node/<id>} or {@code /svc/<name>}. Where
 * the same name could be spelled in two ways, one of them is refused.
 *
 * @param path what follows the trust domain, from the slash on
 */
public record SpiffeId(TrustDomain domain, String path) {
    static final String NODE = "/node/";
    static final String SERVICE = "/svc/";

    private static final String SCHEME = "spiffe://";
    private static final int LONGEST = 2048; // of the whole name, by the standard
    private static final Pattern PATH = Pattern.compile("(?:/(?!\\.{1,2}(?:/|$))[a-zA-Z0-9._-]+)+");
    private static final int URI = 6; // the kind of a name in a certificate (RFC 5280)

    /**
     * Refuses a path with anything but plain segments.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public SpiffeId {
        if (!PATH.matcher(path).matches()
                || SCHEME.length() + domain.value().length() + path.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "The path of a SPIFFE id is plain segments of letters, digits, dots, hyphens"
                            + " and underscores, each after one slash.");
        }
    }

    /**
     * Reads a name.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public static SpiffeId parse(String text) {
        int slash = text.indexOf('/', SCHEME.length());
        if (!text.startsWith(SCHEME) || slash < 0) {
            throw new IllegalArgumentException(
                    "A SPIFFE id is written spiffe://<trust domain>/<path>.");
        }
        return new SpiffeId(
                new TrustDomain(text.substring(SCHEME.length(), slash)), text.substring(slash));
    }

    /**
     * The one name that a certificate gives its holder.
     *
     * @throws IllegalArgumentException with one sentence, when it has none, several, or another
     *     kind of URI
     */
    public static SpiffeId of(X509Certificate leaf) {
        List<String> uris = uris(leaf);
        if (uris.size() != 1) {
            throw new IllegalArgumentException(
                    "A certificate names its holder by exactly one URI, and this one has "
                            + uris.size()
                            + ".");
        }
        return parse(uris.getFirst());
    }

    private static List<String> uris(X509Certificate leaf) {
        try {
            Collection<List<?>> names = leaf.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> Integer.valueOf(URI).equals(name.getFirst()))
                            .map(name -> String.valueOf(name.get(1)))
                            .toList();
        } catch (CertificateParsingException e) {
            throw new IllegalArgumentException("The certificate's names cannot be read.", e);
        }
    }

    /** The node it names; empty when it names something else. */
    public Optional<NodeId> node() {
        try {
            return path.startsWith(NODE)
                    ? Optional.of(new NodeId(path.substring(NODE.length())))
                    : Optional.empty();
        } catch (MalformedValue e) {
            return Optional.empty();
        }
    }

    /** The service it names; empty when it names something else. */
    public Optional<String> service() {
        return path.startsWith(SERVICE)
                ? Optional.of(path.substring(SERVICE.length()))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return SCHEME + domain + path;
    }
}
