package drover.opsagent.trust;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.policy.OwnerCheckingFileReader;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.store.StateJson.UnreadableState;
import drover.trust.release.Envelope;
import drover.trust.release.NotTrusted;
import drover.trust.release.Root;
import drover.trust.release.TrustChain;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The roots of trust that the node's owner put on its disk, and what the agent remembers of them in
 * its own directory. Without that memory nothing is believed: it would be the way to make a node
 * forget.
 */
public final class RootOfTrustStore {
    private final StateDirectory state;
    private final SignaturePolicy.VerifyReleases policy;
    private final boolean writable;

    /** A store of what the policy asks for. */
    public RootOfTrustStore(StateDirectory state, SignaturePolicy.VerifyReleases demand) {
        this(state, demand, true);
    }

    private RootOfTrustStore(
            StateDirectory state, SignaturePolicy.VerifyReleases demand, boolean remembers) {
        this.state = state;
        this.policy = demand;
        this.writable = remembers;
    }

    /** The same memory, to which nothing is added. */
    RootOfTrustStore asReadOnly() {
        return new RootOfTrustStore(state, policy, false);
    }

    /**
     * Takes the owner's file on trust: once, when a node is set up, or after its memory was lost.
     * Where there is a memory, the file must follow from it.
     *
     * @return version of the root that is believed from now on
     * @throws ActionFailed as {@link ReasonCode#TRUST_UNUSABLE}
     */
    public long pinOrUpdateRoot() {
        if (isPinned()) {
            return TrustChain.parseRoot(parseEnvelope(loadAndUpdateRoot())).version();
        }
        try {
            Envelope root = readTrustChain().verify();
            saveIfWritable(new TrustRecord(text(root), List.of()));
            return TrustChain.parseRoot(root).version();
        } catch (NotTrusted e) {
            throw unusableFailure(e.sentence());
        }
    }

    /** The memory, after it has followed the owner's file to its newest root. */
    TrustRecord loadAndUpdateRoot() {
        if (!isPinned()) {
            throw unusableFailure(
                    "This node has not pinned its root of trust, or lost what it knew: stop the"
                            + " agent and run it once with --pin-trust.");
        }
        try {
            TrustRecord record = state.load(recordFile(), TrustRecord.class);
            TrustRecord now =
                    record.withRoot(text(readTrustChain().verifyFrom(parseEnvelope(record))));
            if (!now.equals(record)) {
                saveIfWritable(now);
            }
            return now;
        } catch (NotTrusted e) {
            throw unusableFailure(e.sentence());
        } catch (UnreadableState e) {
            throw unusableFailure(String.valueOf(e.getMessage()));
        }
    }

    /** Keeps it durably. */
    void saveIfWritable(TrustRecord record) {
        if (writable) {
            state.save(recordFile(), record);
        }
    }

    /** The root that a memory believes. */
    static Root parseRoot(TrustRecord record) {
        return TrustChain.parseRoot(parseEnvelope(record));
    }

    private TrustChain readTrustChain() {
        try {
            OwnerCheckingFileReader kept =
                    new OwnerCheckingFileReader(policy.trust(), List.of(policy.owner()), false);
            return TrustChain.parseUnverified(kept.read(TrustChain.LARGEST));
        } catch (IllegalArgumentException e) {
            throw unusableFailure(String.valueOf(e.getMessage()));
        }
    }

    private static Envelope parseEnvelope(TrustRecord record) {
        return Envelope.parse(record.root().getBytes(StandardCharsets.UTF_8), Root.LARGEST);
    }

    private static String text(Envelope root) {
        return new String(root.bytes(), StandardCharsets.UTF_8);
    }

    private boolean isPinned() {
        return state.exists(recordFile());
    }

    private Path recordFile() {
        return state.path().resolve("trust.json");
    }

    private static ActionFailed unusableFailure(String sentence) {
        return new ActionFailed(ReasonCode.TRUST_UNUSABLE, sentence);
    }
}
