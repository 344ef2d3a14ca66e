package drover.standalone.command;

import drover.standalone.signing.ManifestAndReleaseFiles;
import drover.standalone.signing.TrustRootFile;
import java.nio.file.Path;
import java.time.InstantSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover manifest verify}: what a node would say of the release beside a manifest. */
@Command(name = "verify", description = "Says whether nodes would believe a signed manifest.")
public final class ManifestVerifyCommand extends StandaloneCommandBase {
    @Parameters(paramLabel = "FILE", description = "Manifest, a YAML file.")
    private Path file = Path.of("");

    @Option(
            names = "--trust",
            paramLabel = "FILE",
            required = true,
            description = "The file with the roots of trust.")
    private Path trust = Path.of("");

    @Option(
            names = "--seen",
            paramLabel = "N",
            defaultValue = "0",
            description = "Highest counter that nodes have seen (default: ${DEFAULT-VALUE}).")
    private long seen;

    @Override
    int run() {
        print(
                new ManifestAndReleaseFiles(file)
                        .verify(new TrustRootFile(trust), seen, InstantSource.system().instant()));
        return DONE;
    }
}
