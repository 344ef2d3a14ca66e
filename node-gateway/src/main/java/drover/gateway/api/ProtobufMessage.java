package drover.gateway.api;

import com.google.protobuf.Message;
import drover.gateway.session.OpaqueMessage;

/** A message on its way through the gateway. */
public record ProtobufMessage(Message message) implements OpaqueMessage {
    @Override
    public int bytes() {
        return message.getSerializedSize();
    }

    /** The message inside; of the type that a door enclosed. */
    public static <M extends Message> M unwrap(OpaqueMessage relayed, Class<M> type) {
        return type.cast(((ProtobufMessage) relayed).message());
    }
}
