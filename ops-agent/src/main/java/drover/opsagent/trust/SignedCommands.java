package drover.opsagent.trust;

import drover.model.Digest;
import drover.model.NodeId;
import drover.opsagent.policy.SignatureDemand;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Request;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.Ticker;
import drover.trust.release.CommandAuthorization;
import drover.trust.release.CommandAuthorization.Kind;
import drover.trust.release.CommandVerifier;
import drover.trust.release.NotTrusted;
import drover.trust.release.RejectionReason;

/**
 * The gate of a node whose owner asks for signed commands (E7, H8). Which node it is stands in the
 * owner's policy: a gateway that calls it by another name and brings that one's commands is not
 * believed.
 */
public final class SignedCommands implements CommandGate {
    private final NodeId self;
    private final TrustStore store;
    private final Ticker ticker;

    SignedCommands(NodeId self, TrustStore store, Ticker ticker) {
        this.self = self;
        this.store = store;
        this.ticker = ticker;
    }

    /** The gate that a policy asks for. */
    public static CommandGate gate(SignatureDemand demand, StateDirectory state, Ticker ticker) {
        return switch (demand) {
            case SignatureDemand.None _ -> CommandGate.OPEN;
            case SignatureDemand.Releases asked -> {
                NodeId self = asked.commandsTo();
                yield self == null
                        ? CommandGate.OPEN
                        : new SignedCommands(self, new TrustStore(state, asked), ticker);
            }
        };
    }

    @Override
    public void command(Request request, byte[] authorization) {
        Digest body = new Digest(request.bodyDigest());
        requireEpoch(request.epoch(), verified(Kind.COMMAND, body, authorization));
        if (!request.nodeId().equals(self.value())) {
            throw new ActionFailed(
                    ReasonCode.COMMAND_REPLAYED,
                    "The command was signed for node "
                            + request.nodeId()
                            + ", and this is "
                            + self
                            + ": somebody sends one node what is for another, find out who"
                            + " (replayed).");
        }
    }

    @Override
    public void preflight(Request request, byte[] authorization) {
        looking().command(request, authorization);
    }

    @Override
    public void withdrawal(long through, long epoch, byte[] authorization) {
        Digest subject = CommandAuthorization.withdrawal(self, through);
        requireEpoch(epoch, verified(Kind.WITHDRAWAL, subject, authorization));
    }

    @Override
    public void stop(long attempt, String successor, byte[] authorization) {
        Digest subject = CommandAuthorization.stop(self, attempt, successor);
        looking().verified(Kind.STOP, subject, authorization); // a full disk is no reason to stay
    }

    private SignedCommands looking() {
        return new SignedCommands(self, store.forLooking(), ticker);
    }

    private CommandAuthorization verified(Kind order, Digest subject, byte[] authorization) {
        try {
            return CommandVerifier.verify(
                    order,
                    subject,
                    authorization,
                    TrustStore.root(store.followed()),
                    ticker.wallClock());
        } catch (NotTrusted e) {
            throw new ActionFailed(reason(e.reason()), e.sentence());
        }
    }

    /** Beside the body the epoch is all that decides anything; the rest is for display. */
    private static void requireEpoch(long sent, CommandAuthorization said) {
        if (sent != said.epoch()) {
            throw new ActionFailed(
                    ReasonCode.COMMAND_ALTERED,
                    "Epoch "
                            + said.epoch()
                            + " was signed, and "
                            + sent
                            + " came: somebody between coordinator and node changes what they send,"
                            + " find out who (altered).");
        }
    }

    private static ReasonCode reason(RejectionReason attack) {
        return switch (attack) {
            case UNSIGNED -> ReasonCode.COMMAND_UNSIGNED;
            case WRONG_KEY -> ReasonCode.COMMAND_SIGNER_UNKNOWN;
            case EXPIRED, FREEZE -> ReasonCode.COMMAND_EXPIRED;
            case MALFORMED, WRONG_TYPE, TOO_FEW_SIGNATURES, ALTERED, MIX_AND_MATCH, ROLLBACK ->
                    ReasonCode.COMMAND_ALTERED;
        };
    }
}
