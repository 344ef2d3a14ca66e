package drover.opsagent.identity;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AgentStopping;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Where the node's identity lies in the agent's own directory, for the agent alone. Whoever asks
 * for a certificate shares one object with all others that do in this process.
 */
public final class IdentityFile {
    /**
     * Renewals whose responses were all lost skip numbers. A higher number would make the node
     * reject every later certificate of the true gateways.
     */
    static final long MAX_SKIPPED = 16;

    /** Of the file in the agent's own directory. */
    public static final String NAME = "identity.json";

    private final StateDirectory state;
    private final Path file;
    private final Path byToken;
    private final Path byCertificate;
    private final ReentrantLock lock = new ReentrantLock();

    /** In this directory. */
    public IdentityFile(StateDirectory state) {
        this.state = state;
        this.file = state.path().resolve(NAME);
        this.byToken = state.path().resolve("identity-asked-for.json");
        this.byCertificate = state.path().resolve("renewal-asked-for.json");
    }

    /** In the state directory of an agent. */
    public static IdentityFile in(Path stateDirectory, Disk disk, RandomGenerator random) {
        return new IdentityFile(new StateDirectory(stateDirectory, new DurableFiles(disk, random)));
    }

    /** Who the node is, as the disk says now; empty before it was enrolled. */
    public Optional<NodeKeyAndCertificate> read() {
        return state.exists(file)
                ? Optional.of(state.load(file, NodeKeyAndCertificate.class))
                : Optional.empty();
    }

    /**
     * Who the node is.
     *
     * @param remedy what to do where it is nobody yet
     * @throws IllegalStateException with one sentence when it is nobody yet
     */
    NodeKeyAndCertificate requireIdentity(String remedy) {
        return read().orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "This machine is no node yet: " + remedy + "."));
    }

    /**
     * The key that a certificate was asked for before with the same join token, or a new one that
     * is on the disk from now on. A key left from another question is not used: its disk may have
     * been copied since, and a machine is enrolled anew to be rid of whoever has the copy.
     */
    PendingKey getOrCreateKeyForToken(String tokenId) {
        return getOrCreateKey(byToken, "token " + tokenId);
    }

    /**
     * The same for a renewal, which may be tried between two tries with a token: each goes on with
     * its own key, or the reply to a token of one use would be lost for good.
     */
    PendingKey getOrCreateKeyForRenewal(BigInteger serial) {
        return getOrCreateKey(byCertificate, "certificate " + serial.toString(16));
    }

    private PendingKey getOrCreateKey(Path pending, String shown) {
        if (state.exists(pending)) {
            PendingKey before = state.load(pending, PendingKey.class);
            if (shown.equals(before.shown())) {
                return before;
            }
        }
        PendingKey made = PendingKey.create(shown);
        state.save(pending, made);
        return made;
    }

    /**
     * One question at a time: of two that overlap, the second would replace the key of the first,
     * and the answer that is late the identity that is newer.
     */
    <T> T withLock(Supplier<T> question) {
        try {
            lock.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        }
        try {
            return question.get();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps what a certificate brought.
     *
     * @throws IllegalStateException with one sentence when it is not a later one of the same node:
     *     the present one is worth more
     * @throws SuspiciousRenewalResponse if its generation is far higher
     */
    void saveRenewed(NodeKeyAndCertificate present, NodeKeyAndCertificate next) {
        if (!next.node().equals(present.node()) || next.generation() <= present.generation()) {
            throw new IllegalStateException(
                    "What the gateway sent is not taken: %s is not later than %s"
                            .formatted(next, present));
        }
        if (next.generation() - present.generation() > MAX_SKIPPED) {
            throw new SuspiciousRenewalResponse(
                    "The certificate from the gateway is rejected: its generation "
                            + next.generation()
                            + " is more than "
                            + MAX_SKIPPED
                            + " above "
                            + present.generation()
                            + ". Check whether that gateway is compromised.");
        }
        saveAndDropPendingKeys(next);
    }

    /**
     * Keeps what a join token brought, whatever its generation: the gateways' database may have
     * been restored to a day when they had counted less far.
     *
     * @throws NodeCredential.EnrollmentRefused when it is another node's: the agent's directory,
     *     and what runs here, are those of the node that the machine is
     */
    void saveEnrolled(NodeKeyAndCertificate identity) {
        Optional<NodeKeyAndCertificate> other =
                read().filter(present -> !present.node().equals(identity.node()));
        if (other.isPresent()) {
            throw new NodeCredential.EnrollmentRefused(
                    "What the gateway sent is not taken: this machine is node %s, and not %s; get a join token for it."
                            .formatted(other.get().node(), identity.node()),
                    Duration.ZERO,
                    null);
        }
        saveAndDropPendingKeys(identity);
    }

    private void saveAndDropPendingKeys(NodeKeyAndCertificate identity) {
        state.save(file, identity);
        state.files().delete(byToken);
        state.files().delete(byCertificate);
    }
}
