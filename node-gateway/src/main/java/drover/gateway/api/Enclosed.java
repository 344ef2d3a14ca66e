package drover.gateway.api;

import com.google.protobuf.Message;
import drover.gateway.session.Relayed;

/** A message on its way through the gateway. */
public record Enclosed(Message message) implements Relayed {
    @Override
    public int bytes() {
        return message.getSerializedSize();
    }

    /** The message inside; of the type that a door enclosed. */
    public static <M extends Message> M open(Relayed relayed, Class<M> type) {
        return type.cast(((Enclosed) relayed).message());
    }
}
