package drover.localenv;

import drover.kit.grpc.Address;
import drover.kit.grpc.BearerTokenClientInterceptor;
import drover.kit.grpc.Channels;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The operators' door of a mesh on this machine, for those who can read its data directory. */
public final class LocalOperatorChannel {
    private LocalOperatorChannel() {}

    /**
     * A channel to it that brings the administrator's key.
     *
     * @throws UserFacingError when the key is there and cannot be read: it is another person's mesh
     */
    public static ManagedChannel connect(RunningDeployment deployment, DataDirectory data) {
        return Channels.open(
                new Address.Tcp("127.0.0.1", deployment.grpcPort()),
                BearerTokenClientInterceptor.of(readKey(data.adminKey())));
    }

    /** Empty when there is none, as in a mesh that asks for no key. */
    private static String readKey(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file).strip() : "";
        } catch (IOException e) {
            throw new UserFacingError(
                    "The key file " + file + " cannot be read; only its owner can ask this mesh.",
                    e);
        }
    }
}
