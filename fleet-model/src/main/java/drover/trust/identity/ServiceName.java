package drover.trust.identity;

import java.util.Arrays;
import java.util.Optional;

/**
 * Who calls and is called among the programs of a mesh. The name stands in certificates and in the
 * variables of the program's settings.
 */
public enum ServiceName {
    /** Decides who is upgraded. */
    COORDINATOR("coordinator"),
    /** The door that agents dial into. */
    GATEWAY("gateway"),
    /** Judges how nodes are. */
    HEALTH("health"),
    /** Says what may be installed. */
    MANIFEST("manifest"),
    /** {@code drover prepare}: makes nodes known before their agents start; nobody dials it. */
    PREPARE("prepare");

    private final String word;

    ServiceName(String word) {
        this.word = word;
    }

    /** As it stands in a certificate. */
    public String wireName() {
        return word;
    }

    /** The service with this name in its certificate; empty when there is none. */
    public static Optional<ServiceName> of(String word) {
        return Arrays.stream(values()).filter(service -> service.word.equals(word)).findFirst();
    }

    @Override
    public String toString() {
        return word;
    }
}
