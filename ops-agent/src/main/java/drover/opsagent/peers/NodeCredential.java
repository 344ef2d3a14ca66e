package drover.opsagent.peers;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a node proves to gateways who it is. Asked anew for each dial: what it shows may change. */
public interface NodeCredential {
    /**
     * What a dial is made with.
     *
     * @param channel to the gateway, not yet connected
     * @param headers of each call
     * @param node that the agent takes itself for; empty when the gateway tells it
     * @param lastResort present when it is shown for want of anything better, such as a certificate
     *     that has ended by this machine's clock: for how long whoever was asked for better asks
     *     not to be asked
     */
    record PreparedConnection(
            ManagedChannel channel, Metadata headers, String node, Optional<Duration> lastResort) {
        /** Of what is good as far as this machine knows. */
        public PreparedConnection(ManagedChannel channel, Metadata headers, String node) {
            this(channel, headers, node, Optional.empty());
        }

        /** The same, shown for want of anything better. */
        public PreparedConnection asLastResort(Duration atLeast) {
            return new PreparedConnection(channel, headers, node, Optional.of(atLeast));
        }
    }

    /** What was to be shown is not taken by any gateway, and asking sooner would not help. */
    final class EnrollmentRefused extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        private final Duration atLeast;

        /**
         * With one sentence.
         *
         * @param atLeast for how long the gateway asks not to be asked; zero when it does not say
         */
        public EnrollmentRefused(String sentence, Duration atLeast, @Nullable Throwable cause) {
            super(sentence, cause);
            this.atLeast = atLeast;
        }

        /** For how long the gateway asks not to be asked; zero when it does not say. */
        public Duration retryAfter() {
            return atLeast;
        }
    }

    /** What was to be shown cannot be had now: whoever gives it is asked by too many. */
    final class CredentialTemporarilyUnavailable extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        private final Duration atLeast;

        /**
         * With one sentence.
         *
         * @param atLeast as in {@link EnrollmentRefused}
         */
        public CredentialTemporarilyUnavailable(
                String sentence, Duration atLeast, Throwable cause) {
            super(sentence, cause);
            this.atLeast = atLeast;
        }

        /** For how long it asks not to be asked; zero when it does not say. */
        public Duration retryAfter() {
            return atLeast;
        }
    }

    /**
     * A dial to this gateway.
     *
     * @throws EnrollmentRefused when nothing helps but that somebody does something
     * @throws CredentialTemporarilyUnavailable when it can be had later
     * @throws IllegalStateException with one sentence when there is nothing to show
     */
    PreparedConnection prepareConnection(GatewayAddress gateway);

    /** A gateway has taken what the last dial was made with: it is good, whatever clocks say. */
    default void onAccepted() {}
}
