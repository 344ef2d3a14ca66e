package drover.standalone.command;

import drover.localenv.UserFacingError;
import drover.manifest.parse.ManifestReleaseConverter.SignerDecidedTerms;
import drover.model.NodePath;
import drover.standalone.signing.ExpiryParser;
import drover.standalone.signing.ManifestAndReleaseFiles;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code drover manifest sign}: offline, and without any server. */
@Command(
        name = "sign",
        description = {
            "Signs a manifest: writes the release beside it, or adds a signature to the one there.",
            "Whoever signs second leaves --counter and --expires out."
        })
public final class ManifestSignCommand extends StandaloneCommandBase {
    @Parameters(paramLabel = "FILE", description = "Manifest, a YAML file.")
    private Path file = Path.of("");

    @Mixin private SigningKeyOptions signing = new SigningKeyOptions();

    @Option(
            names = "--counter",
            paramLabel = "N",
            description = "Counts the releases of the program; higher than any before.")
    private @Nullable Long counter;

    @Option(
            names = "--expires",
            paramLabel = "TIME",
            description = "Until when nodes begin with it, such as 90d or 2030-01-31T00:00:00Z.")
    private @Nullable String expires;

    @Option(
            names = "--floor",
            paramLabel = "N",
            description = "No release below this counter is installed afterwards (default: none).")
    private @Nullable Long floor;

    @Option(
            names = "--rollback-allowed",
            description = "Nodes that have seen a later release may install this one.")
    private boolean rollbackAllowed;

    @Option(
            names = "--config-path",
            paramLabel = "PATH",
            description = "A file that may be written besides those of the manifest.")
    private List<String> paths = List.of();

    @Option(
            names = "--profile",
            paramLabel = "FILE",
            description = {
                "Profile of the chain: its command line and probes are signed, too.",
                "Without it nodes that demand signatures keep those that they have."
            })
    private @Nullable Path profile;

    @Option(
            names = "--anew",
            description = "Begins anew where something else was signed; its signatures are lost.")
    private boolean again;

    @Override
    int run() {
        ManifestAndReleaseFiles manifest = new ManifestAndReleaseFiles(file);
        print(manifest.sign(terms(manifest), signing.loadRequiredKeys(), again));
        return DONE;
    }

    /** As given; what is not given is as somebody signed it before. */
    private SignerDecidedTerms terms(ManifestAndReleaseFiles manifest) {
        Optional<SignerDecidedTerms> before = again ? Optional.empty() : manifest.readSignedTerms();
        if (before.isEmpty() && (counter == null || expires == null)) {
            throw new UserFacingError(
                    "Nobody signed the manifest yet: give --counter and --expires.");
        }
        Instant now = InstantSource.system().instant();
        return new SignerDecidedTerms(
                counter != null ? counter : before.orElseThrow().releaseNumber(),
                floor != null
                        ? floor
                        : before.map(SignerDecidedTerms::minimumReleaseNumber).orElse(0L),
                rollbackAllowed || before.map(SignerDecidedTerms::rollbackAllowed).orElse(false),
                expires != null ? ExpiryParser.parse(expires, now) : before.orElseThrow().expires(),
                paths.isEmpty()
                        ? before.map(SignerDecidedTerms::additionalPaths).orElse(List.of())
                        : parsePaths(),
                profile != null
                        ? manifest.readLaunch(profile)
                        : before.map(SignerDecidedTerms::launch).orElse(null));
    }

    private List<NodePath> parsePaths() {
        try {
            return paths.stream().map(NodePath::new).toList();
        } catch (IllegalArgumentException e) {
            throw new UserFacingError("--config-path: " + e.getMessage() + ".", e);
        }
    }
}
