package drover.opsagent.cluster.etcd;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Files of the node for connections to etcd. Each must belong to root or to the agent's user, and
 * secrets must have mode 0600.
 *
 * @param caFile certificates of the CAs that etcd's certificates must be from; empty for those of
 *     the Java runtime
 * @param certFile client certificate for mutual TLS
 * @param keyFile its private key (PKCS #8)
 * @param userFile one line {@code NAME:PASSWORD} of an etcd user
 */
public record EtcdAccess(
        Optional<Path> caFile,
        Optional<Path> certFile,
        Optional<Path> keyFile,
        Optional<Path> userFile) {
    /** Plain HTTP, or TLS with the CAs of the Java runtime, without a user. */
    public static final EtcdAccess NONE =
            new EtcdAccess(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Checks that the files belong together.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public EtcdAccess {
        if (certFile.isPresent() != keyFile.isPresent()) {
            throw new IllegalArgumentException(
                    "A client certificate and its key belong together: give both or neither.");
        }
        if (certFile.isPresent() && caFile.isEmpty()) {
            throw new IllegalArgumentException(
                    "A client certificate needs the CA of etcd's certificates: give its file, too.");
        }
    }
}
