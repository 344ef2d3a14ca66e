package drover.opsagent.peers;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a node proves to gateways who it is. Asked anew for each dial: what it shows may change. */
public interface NodeCredential {
    /**
     * What a dial is made with.
     *
     * @param channel to the gateway, not yet connected
     * @param headers of each call
     * @param node that the agent takes itself for; empty when the gateway tells it
     */
    record Dial(ManagedChannel channel, Metadata headers, String node) {}

    /** What was to be shown is not taken by any gateway, and asking sooner would not help. */
    final class Refused extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        private final Duration atLeast;

        /**
         * With one sentence.
         *
         * @param atLeast for how long the gateway asks not to be asked; zero when it does not say
         */
        public Refused(String sentence, Duration atLeast, @Nullable Throwable cause) {
            super(sentence, cause);
            this.atLeast = atLeast;
        }

        /** For how long the gateway asks not to be asked; zero when it does not say. */
        public Duration atLeast() {
            return atLeast;
        }
    }

    /**
     * A dial to this gateway.
     *
     * @throws Refused when nothing helps but that somebody does something
     * @throws IllegalStateException with one sentence when there is nothing to show
     */
    Dial to(GatewayAddress gateway);
}
