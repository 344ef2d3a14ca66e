package drover.standalone.command;

import drover.standalone.signing.ExpiryParser;
import drover.standalone.signing.KeyFiles;
import drover.standalone.signing.TrustRootFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Option;

/** Who is trusted from now on. */
final class TrustRootKeyOptions {
    @Option(
            names = "--keys",
            paramLabel = "FILE",
            required = true,
            split = ",",
            description = "Public keys of all who sign releases and roots.")
    private List<Path> keys = List.of();

    @Option(
            names = "--threshold",
            paramLabel = "K",
            required = true,
            description = "How many of them must sign.")
    private int threshold;

    @Option(
            names = "--expires",
            paramLabel = "TIME",
            required = true,
            description = "Until when it is good, such as 365d or 2030-01-31T00:00:00Z.")
    private String expires = "";

    @Option(
            names = "--command-keys",
            paramLabel = "FILE",
            split = ",",
            description =
                    "Public keys of the coordinators, which sign commands with them; when not"
                            + " named, 'rotate' leaves them as they are.")
    private List<Path> commandKeys = List.of();

    TrustRootFile.RootKeys loadRootKeys(Instant now) {
        return new TrustRootFile.RootKeys(
                keys.stream().map(KeyFiles::loadVerifyingKey).toList(),
                threshold,
                ExpiryParser.parse(expires, now),
                commandKeys.stream().map(KeyFiles::loadVerifyingKey).toList());
    }
}
