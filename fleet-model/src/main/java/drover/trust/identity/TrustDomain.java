package drover.trust.identity;

import drover.model.NodeId;
import java.util.regex.Pattern;

/** The name that all certificates of one mesh share; two meshes never have the same. */
public record TrustDomain(String value) {
    private static final Pattern GRAMMAR = Pattern.compile("[a-z0-9._-]{1,255}");

    /**
     * Refuses anything but lower-case letters, digits, dots, hyphens and underscores, as SPIFFE
     * does.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public TrustDomain {
        if (!GRAMMAR.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "'"
                            + value
                            + "' is no trust domain: use up to 255 lower-case letters, digits,"
                            + " dots, hyphens and underscores.");
        }
    }

    /** The name of a node. */
    public SpiffeId node(NodeId node) {
        return new SpiffeId(this, SpiffeId.NODE + node.value());
    }

    /**
     * The name of a service.
     *
     * @param service for example {@code gateway}
     */
    public SpiffeId service(String service) {
        return new SpiffeId(this, SpiffeId.SERVICE + service);
    }

    /** The name of a service. */
    public SpiffeId service(ServiceName service) {
        return service(service.wireName());
    }

    @Override
    public String toString() {
        return value;
    }
}
