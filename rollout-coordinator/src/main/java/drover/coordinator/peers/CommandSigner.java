package drover.coordinator.peers;

import com.google.protobuf.ByteString;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.model.Digest;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import drover.trust.release.CommandVerifier;
import drover.trust.release.SigningKey;
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
    ByteString sign(MessageToNode delivery);

    /**
     * With the coordinators' online key.
     *
     * @param now by the clock that all coordinators share
     */
    static CommandSigner with(SigningKey key, Supplier<Instant> now) {
        return delivery ->
                ByteString.copyFrom(
                        authorization(delivery, now.get().plus(CommandVerifier.VALIDITY))
                                .toUnsignedEnvelope()
                                .withSignature(key)
                                .bytes());
    }

    private static CommandAuthorization authorization(MessageToNode delivery, Instant notAfter) {
        return switch (delivery) {
            case MessageToNode.Command command ->
                    new CommandAuthorization(
                            SignedMessageKind.COMMAND,
                            Digest.of(command.body()),
                            command.epoch(),
                            notAfter);
            case MessageToNode.Withdraw withdraw ->
                    new CommandAuthorization(
                            SignedMessageKind.WITHDRAWAL,
                            CommandAuthorization.withdrawalDigest(
                                    withdraw.node(), withdraw.through()),
                            withdraw.epoch(),
                            notAfter);
            case MessageToNode.StopOldAgent stop ->
                    new CommandAuthorization(
                            SignedMessageKind.STOP,
                            CommandAuthorization.handoverStopDigest(
                                    stop.node(), stop.attempt(), stop.successorDigest().value()),
                            stop.epoch(),
                            notAfter);
        };
    }
}
