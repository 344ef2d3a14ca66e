package drover.opsagent.identity;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.AgentStopping;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Where the node's identity lies in the agent's own directory, for the agent alone. Whoever asks
 * for a certificate shares one object with all others that do in this process.
 */
public final class IdentityFile {
    /** Of the file in the agent's own directory. */
    public static final String NAME = "identity.json";

    private final StateDirectory state;
    private final Path file;
    private final Path pending;
    private final ReentrantLock asked = new ReentrantLock();

    /** In this directory. */
    public IdentityFile(StateDirectory state) {
        this.state = state;
        this.file = state.path().resolve(NAME);
        this.pending = state.path().resolve("identity-asked-for.json");
    }

    /** In the state directory of an agent. */
    public static IdentityFile in(Path stateDirectory, Disk disk, RandomGenerator random) {
        return new IdentityFile(new StateDirectory(stateDirectory, new DurableFiles(disk, random)));
    }

    /** Who the node is, as the disk says now; empty before it was enrolled. */
    public Optional<NodeIdentity> read() {
        return state.exists(file)
                ? Optional.of(state.load(file, NodeIdentity.class))
                : Optional.empty();
    }

    /**
     * Who the node is.
     *
     * @throws IllegalStateException with one sentence when it is nobody yet
     */
    NodeIdentity required() {
        return read().orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "This machine is no node yet: run 'agent enroll' with a"
                                                + " join token."));
    }

    /**
     * The key that a certificate was asked for before with the same proof, or a new one that is on
     * the disk from now on. A key left from another question is not used: its disk may have been
     * copied since, and a machine is enrolled anew to be rid of whoever has the copy.
     *
     * @param shown the join token's id, or the serial of the certificate
     */
    PendingKey asking(String shown) {
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
    <T> T alone(Supplier<T> question) {
        try {
            asked.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        }
        try {
            return question.get();
        } finally {
            asked.unlock();
        }
    }

    /**
     * Keeps what a certificate brought.
     *
     * @throws IllegalStateException with one sentence when it is not a later one of the same node:
     *     the present one is worth more
     */
    void keepAfter(NodeIdentity present, NodeIdentity next) {
        if (!next.node().equals(present.node()) || next.generation() <= present.generation()) {
            throw new IllegalStateException(
                    "What the gateway sent is not taken: %s is not later than %s"
                            .formatted(next, present));
        }
        keep(next);
    }

    /**
     * Keeps what a join token brought, whatever its generation: the gateways' database may have
     * been restored to a day when they had counted less far.
     */
    void keep(NodeIdentity identity) {
        state.save(file, identity);
        state.files().delete(pending);
    }
}
