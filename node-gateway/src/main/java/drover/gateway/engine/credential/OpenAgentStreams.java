package drover.gateway.engine.credential;

import drover.gateway.identity.StreamCredential;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The streams of agents that are open here, by what each began with: the credential of a stream is
 * looked at when it begins, and may be ended while it lives. One entry per stream, so the limits of
 * the agents' door bound it.
 */
public final class OpenAgentStreams {
    private final Map<StreamCredential, Set<OpenStream>> byProof = new HashMap<>();

    /** One of them. */
    public interface OpenStream {
        /** The node whose agent it is. */
        NodeId node();

        /** Ends it, for this reason; one that has ended already is left as it is. */
        void end(Refused reason);
    }

    /** A stream began with this. Call {@link #remove} once it has ended. */
    public synchronized void add(StreamCredential proof, OpenStream stream) {
        byProof.computeIfAbsent(proof, _ -> new HashSet<>()).add(stream);
    }

    /** It has ended, for whatever reason. */
    public synchronized void remove(StreamCredential proof, OpenStream stream) {
        byProof.computeIfPresent(
                proof,
                (_, streams) -> {
                    streams.remove(stream);
                    return streams.isEmpty() ? null : streams;
                });
    }

    /** Tokens that any of them began with. */
    synchronized List<StreamCredential.NodeTokenDigest> tokens() {
        return byProof.keySet().stream()
                .filter(StreamCredential.NodeTokenDigest.class::isInstance)
                .map(StreamCredential.NodeTokenDigest.class::cast)
                .toList();
    }

    /** Those that began with this. */
    synchronized List<OpenStream> findByCredential(StreamCredential proof) {
        return List.copyOf(byProof.getOrDefault(proof, Set.of()));
    }
}
