package drover.localenv;

import drover.kit.text.ShellWord;
import drover.model.Digest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Where one node lives: its root, which is the file system its programs see, its agent's state, and
 * its credential.
 */
public record NodeDirectory(Path path) {
    private static final int TOKEN_BYTES = 32; // 256 bits: never guessed

    /** The node's root directory. */
    public Path root() {
        return path.resolve("root");
    }

    /** Its agent's own directory. */
    public Path state() {
        return path.resolve("state");
    }

    /** Its credential. */
    public Path tokenFile() {
        return path.resolve("token");
    }

    /** The node's name. */
    public String name() {
        return String.valueOf(path.getFileName());
    }

    /**
     * Whether an agent of another process cares for this node now. Asked only while this process
     * runs no agent of it.
     */
    public boolean hasExternalAgent() {
        return DirectoryLock.isHeldByOtherProcess(state().resolve("executor.lock"));
    }

    /** What starts the agent of this node as a process of its own, on this machine. */
    public String agentCommand(int agentPort) {
        return "./drover agent --gateway 127.0.0.1:%d --state %s --root %s --token-file %s --allow-local"
                .formatted(
                        agentPort,
                        ShellWord.of(state()),
                        ShellWord.of(root()),
                        ShellWord.of(tokenFile()));
    }

    /** The node's token: made at the first call, readable by its owner alone (invariant H1). */
    public String readOrCreateToken() {
        try {
            if (!Files.exists(tokenFile())) {
                Files.createDirectories(path);
                byte[] random = new byte[TOKEN_BYTES];
                new SecureRandom().nextBytes(random);
                AtomicFileWriter.writeSecret(tokenFile(), HexFormat.of().formatHex(random) + "\n");
            }
            return Files.readString(tokenFile()).strip();
        } catch (IOException e) {
            throw new UserFacingError(
                    "The token " + tokenFile() + " cannot be read; check the disk and its owner.",
                    e);
        }
    }

    /** What the gateway is told of the token: never the token itself. */
    public Digest tokenDigest() {
        return Digest.of(readOrCreateToken());
    }
}
