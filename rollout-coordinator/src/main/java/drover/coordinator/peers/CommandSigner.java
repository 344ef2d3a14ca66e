package drover.coordinator.peers;

import com.google.protobuf.ByteString;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.model.Digest;
import drover.model.sign.Authorization;
import drover.model.sign.Authorization.Order;
import drover.model.sign.CommandRules;
import drover.model.sign.SigningKey;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Signs what a leader sends to nodes, so that gateways can only pass it on (H8). Each time it is
 * sent, for it is good for minutes; about a tenth of a millisecond for each.
 */
@FunctionalInterface
public interface CommandSigner {
    /** Of coordinators without a key: nothing is signed. */
    CommandSigner NONE = _ -> ByteString.EMPTY;

    /** The envelope over this delivery, now; empty where nothing is signed. */
    ByteString over(Delivery delivery);

    /**
     * With the coordinators' online key.
     *
     * @param now by the clock that all coordinators share
     */
    static CommandSigner with(SigningKey key, Supplier<Instant> now) {
        return delivery ->
                ByteString.copyFrom(
                        authorization(delivery, now.get().plus(CommandRules.GOOD_FOR))
                                .envelope()
                                .signedBy(key)
                                .bytes());
    }

    private static Authorization authorization(Delivery delivery, Instant notAfter) {
        return switch (delivery) {
            case Delivery.Command command ->
                    new Authorization(
                            Order.COMMAND, Digest.of(command.body()), command.epoch(), notAfter);
            case Delivery.Withdraw withdraw ->
                    new Authorization(
                            Order.WITHDRAWAL,
                            Authorization.withdrawal(withdraw.node(), withdraw.through()),
                            withdraw.epoch(),
                            notAfter);
            case Delivery.Stop stop ->
                    new Authorization(
                            Order.STOP,
                            Authorization.stop(
                                    stop.node(), stop.attempt(), stop.successorDigest().value()),
                            stop.epoch(),
                            notAfter);
        };
    }
}
