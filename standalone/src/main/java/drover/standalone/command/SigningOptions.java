package drover.standalone.command;

import drover.machine.home.Unusable;
import drover.standalone.signing.KeyFiles;
import drover.trust.release.SigningKey;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Who signs. */
final class SigningOptions {
    @Option(
            names = "--key",
            paramLabel = "FILE",
            description = "A private key to sign with; several people can sign one after another.")
    private List<Path> keys = List.of();

    List<SigningKey> people() {
        return keys.stream().map(KeyFiles::signing).toList();
    }

    List<SigningKey> atLeastOne() {
        if (keys.isEmpty()) {
            throw new Unusable("Nobody signs: name a private key with --key.");
        }
        return people();
    }
}
