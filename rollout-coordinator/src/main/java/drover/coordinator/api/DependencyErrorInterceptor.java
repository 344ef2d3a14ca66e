package drover.coordinator.api;

import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnreadableRow;
import drover.coordinator.store.sql.UnwritableValue;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in one place what operators hear when a part of the world is away. */
public final class DependencyErrorInterceptor implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(DependencyErrorInterceptor.class);

    @Override
    public <A, B> ServerCall.Listener<A> interceptCall(
            ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
        return new SimpleForwardingServerCallListener<A>(next.startCall(call, headers)) {
            @Override
            public void onHalfClose() {
                try {
                    super.onHalfClose();
                } catch (StoreUnavailable e) {
                    LOG.warn("A call failed: the database is away reason={}", e.getMessage(), e);
                    throw new Refused(
                            RefusalCode.STORE_UNAVAILABLE,
                            "The database cannot be reached; nothing was changed by this call unless it shows later. Try again with the same idempotency key.");
                } catch (UnwritableValue e) {
                    LOG.error("A call failed: the database rejected a value", e);
                    throw new Refused(
                            RefusalCode.INVALID_FIELD,
                            "The database cannot store a value of this call; nothing was changed."
                                    + " Remove special characters and very large numbers.");
                } catch (UnreadableRow e) {
                    LOG.warn("A call failed: a row cannot be read reason={}", e.getMessage());
                    throw new Refused(
                            RefusalCode.WRITTEN_BY_LATER_VERSION, laterVersionMessage(e.rowName()));
                } catch (PeerUnavailable e) {
                    LOG.warn("A call failed: a neighbour is away reason={}", e.getMessage());
                    throw new Refused(
                            toRefusalCode(e), e.getMessage() + "; try again in a moment.");
                }
            }
        };
    }

    /** What a person does about a row that this version cannot read. */
    public static String laterVersionMessage(String row) {
        return "A later version of Drover wrote "
                + row
                + "; ask a coordinator of that version, or upgrade this one.";
    }

    private static RefusalCode toRefusalCode(PeerUnavailable e) {
        return switch (e.peer()) {
            case GATEWAY -> RefusalCode.GATEWAY_UNAVAILABLE;
            case MANIFESTS -> RefusalCode.MANIFEST_UNAVAILABLE;
        };
    }
}
