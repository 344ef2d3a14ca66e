package drover.standalone.command;

import drover.localenv.UserFacingError;
import drover.standalone.signing.KeyFiles;
import drover.trust.release.SigningKey;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Who signs. */
final class SigningKeyOptions {
    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "A private key to sign with; several people can sign one after another.")
    private List<Path> keys = List.of();

    List<SigningKey> loadKeys() {
        return keys.stream().map(KeyFiles::loadSigningKey).toList();
    }

    List<SigningKey> loadRequiredKeys() {
        if (keys.isEmpty()) {
            throw new UserFacingError("Nobody signs: name a private key with --key.");
        }
        return loadKeys();
    }
}
