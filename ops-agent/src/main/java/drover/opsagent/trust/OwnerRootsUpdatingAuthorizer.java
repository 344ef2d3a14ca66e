package drover.opsagent.trust;

import drover.model.Digest;
import drover.model.NodeId;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.SignedMessageKind;
import drover.trust.release.CommandVerifier;
import drover.trust.release.NotTrusted;
import drover.trust.release.RejectionReason;

/**
 * The gate of a node whose owner asks for signed commands (E7, H8). Which node it is stands in the
 * owner's policy: a gateway that calls it by another name and brings that one's commands is not
 * believed.
 */
public final class OwnerRootsUpdatingAuthorizer implements CommandAuthorizer {
    private final NodeId node;
    private final RootOfTrustStore store;
    private final Ticker ticker;

    OwnerRootsUpdatingAuthorizer(NodeId self, RootOfTrustStore store, Ticker ticker) {
        this.node = self;
        this.store = store;
        this.ticker = ticker;
    }

    /** The gate that a policy asks for. */
    public static CommandAuthorizer of(
            SignaturePolicy demand, StateDirectory state, Ticker ticker) {
        return switch (demand) {
            case SignaturePolicy.None _ -> CommandAuthorizer.ALLOW_ALL;
            case SignaturePolicy.VerifyReleases requested -> {
                NodeId self = requested.signedCommandsFor();
                yield self == null
                        ? CommandAuthorizer.ALLOW_ALL
                        : new OwnerRootsUpdatingAuthorizer(
                                self, new RootOfTrustStore(state, requested), ticker);
            }
        };
    }

    @Override
    public void authorizeCommand(ParsedCommand request, byte[] authorization) {
        Digest body = new Digest(request.bodyDigest());
        requireSignedEpoch(
                request.epoch(),
                verifyAuthorization(SignedMessageKind.COMMAND, body, authorization));
        if (!request.nodeId().equals(node.value())) {
            throw new ActionFailed(
                    ReasonCode.COMMAND_REPLAYED,
                    "The command was signed for node "
                            + request.nodeId()
                            + ", and this is "
                            + node
                            + ": somebody sends one node what is for another, find out who"
                            + " (replayed).");
        }
    }

    @Override
    public void authorizePreflight(ParsedCommand request, byte[] authorization) {
        withReadOnlyStore().authorizeCommand(request, authorization);
    }

    @Override
    public void authorizeWithdrawal(long through, long epoch, byte[] authorization) {
        Digest subject = CommandAuthorization.withdrawalDigest(node, through);
        requireSignedEpoch(
                epoch, verifyAuthorization(SignedMessageKind.WITHDRAWAL, subject, authorization));
    }

    @Override
    public void authorizeHandoverStop(long attempt, String successor, byte[] authorization) {
        Digest subject = CommandAuthorization.handoverStopDigest(node, attempt, successor);
        withReadOnlyStore()
                .verifyAuthorization(
                        SignedMessageKind.STOP,
                        subject,
                        authorization); // a full disk is no reason to stay
    }

    private OwnerRootsUpdatingAuthorizer withReadOnlyStore() {
        return new OwnerRootsUpdatingAuthorizer(node, store.asReadOnly(), ticker);
    }

    private CommandAuthorization verifyAuthorization(
            SignedMessageKind order, Digest subject, byte[] authorization) {
        try {
            return CommandVerifier.verify(
                    order,
                    subject,
                    authorization,
                    RootOfTrustStore.parseRoot(store.loadAndUpdateRoot()),
                    ticker.wallClock());
        } catch (NotTrusted e) {
            throw new ActionFailed(toReasonCode(e.reason()), e.sentence());
        }
    }

    /** Beside the body the epoch is all that decides anything; the rest is for display. */
    private static void requireSignedEpoch(long sent, CommandAuthorization authorization) {
        if (sent != authorization.epoch()) {
            throw new ActionFailed(
                    ReasonCode.COMMAND_ALTERED,
                    "Epoch "
                            + authorization.epoch()
                            + " was signed, and "
                            + sent
                            + " came: somebody between coordinator and node changes what they send,"
                            + " find out who (altered).");
        }
    }

    private static ReasonCode toReasonCode(RejectionReason attack) {
        return switch (attack) {
            case UNSIGNED -> ReasonCode.COMMAND_UNSIGNED;
            case WRONG_KEY -> ReasonCode.COMMAND_SIGNER_UNKNOWN;
            case EXPIRED, FREEZE -> ReasonCode.COMMAND_EXPIRED;
            case MALFORMED, WRONG_TYPE, TOO_FEW_SIGNATURES, ALTERED, MIX_AND_MATCH, ROLLBACK ->
                    ReasonCode.COMMAND_ALTERED;
        };
    }
}
