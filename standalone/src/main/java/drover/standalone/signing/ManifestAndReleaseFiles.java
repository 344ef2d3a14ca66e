package drover.standalone.signing;

import drover.localenv.AtomicFileWriter;
import drover.localenv.UserFacingError;
import drover.manifest.document.ParseResult;
import drover.manifest.document.ValidationProblem;
import drover.manifest.document.YamlNode;
import drover.manifest.parse.Artifact;
import drover.manifest.parse.ExpectedIds;
import drover.manifest.parse.Manifest;
import drover.manifest.parse.ManifestParser;
import drover.manifest.parse.ManifestReleaseConverter;
import drover.manifest.parse.Profile;
import drover.manifest.parse.ProfileParser;
import drover.manifest.parse.RawContentHash;
import drover.manifest.source.FileLimits;
import drover.manifest.source.YamlReader;
import drover.model.Digest;
import drover.trust.release.Envelope;
import drover.trust.release.NotTrusted;
import drover.trust.release.Release;
import drover.trust.release.ReleaseLaunchSpec;
import drover.trust.release.ReleaseVerifier;
import drover.trust.release.ReleaseWatermark;
import drover.trust.release.Root;
import drover.trust.release.SigningKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A manifest and the signed release beside it. */
public final class ManifestAndReleaseFiles {
    private final Path file;
    private final Path releaseFile;
    private final Manifest manifest;

    /**
     * Reads a manifest as the manifest-service does.
     *
     * @throws UserFacingError when it has problems
     */
    public ManifestAndReleaseFiles(Path file) {
        String name = String.valueOf(file.getFileName());
        if (!name.endsWith(".yaml")) {
            throw new UserFacingError(file + " is no manifest: name a file that ends in .yaml.");
        }
        this.file = file;
        this.releaseFile =
                file.resolveSibling(
                        name.substring(0, name.length() - ".yaml".length())
                                + ManifestReleaseConverter.ENDING);
        this.manifest = read(file);
    }

    private static Manifest read(Path file) {
        byte[] bytes = KeyFiles.readBytes(file, FileLimits.LARGEST_FILE);
        ParseResult<Manifest> parsed =
                switch (YamlReader.read(bytes, file.toString())) {
                    case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                            new ParseResult.Invalid<>(problems);
                    case ParseResult.Valid<YamlNode>(YamlNode document) ->
                            ManifestParser.parse(
                                    document,
                                    ExpectedIds.ANY,
                                    RawContentHash.of(bytes),
                                    file.toString());
                };
        return switch (parsed) {
            case ParseResult.Valid<Manifest>(Manifest manifest) -> manifest;
            case ParseResult.Invalid<Manifest>(List<ValidationProblem> problems) ->
                    throw new UserFacingError(problems.getFirst().format());
        };
    }

    /** Terms of the release that somebody signed before; empty when nobody did. */
    public Optional<ManifestReleaseConverter.SignerDecidedTerms> readSignedTerms() {
        try {
            return readRelease()
                    .map(
                            envelope ->
                                    ManifestReleaseConverter.SignerDecidedTerms.of(
                                            Release.parse(envelope.payload())));
        } catch (NotTrusted e) {
            throw new UserFacingError(releaseFile + " is not to be added to: " + e.sentence(), e);
        }
    }

    /**
     * Command line and probes of the manifest's program in a profile.
     *
     * @throws UserFacingError if the profile has problems, or no such program
     */
    public ReleaseLaunchSpec readLaunch(Path profile) {
        byte[] bytes = KeyFiles.readBytes(profile, FileLimits.LARGEST_FILE);
        ParseResult<Profile> parsed =
                switch (YamlReader.read(bytes, profile.toString())) {
                    case ParseResult.Invalid<YamlNode>(List<ValidationProblem> problems) ->
                            new ParseResult.Invalid<>(problems);
                    case ParseResult.Valid<YamlNode>(YamlNode document) ->
                            ProfileParser.parse(
                                    document,
                                    manifest.chain(),
                                    RawContentHash.of(bytes),
                                    profile.toString());
                };
        return switch (parsed) {
            case ParseResult.Valid<Profile>(Profile good) -> readLaunch(good, profile);
            case ParseResult.Invalid<Profile>(List<ValidationProblem> problems) ->
                    throw new UserFacingError(problems.getFirst().format());
        };
    }

    private ReleaseLaunchSpec readLaunch(Profile good, Path profile) {
        try {
            return good.findProgram(manifest.binary())
                    .map(ManifestReleaseConverter::toReleaseLaunch)
                    .orElseThrow(
                            () ->
                                    new UserFacingError(
                                            profile
                                                    + " has no program "
                                                    + manifest.binary()
                                                    + ": name the profile of the manifest."));
        } catch (NotTrusted e) {
            throw new UserFacingError(profile + ": " + e.sentence(), e);
        }
    }

    private Optional<Envelope> readRelease() {
        return Files.exists(releaseFile)
                ? Optional.of(
                        Envelope.parse(
                                KeyFiles.readBytes(releaseFile, ManifestReleaseConverter.LARGEST),
                                ManifestReleaseConverter.LARGEST))
                : Optional.empty();
    }

    /**
     * Signs, beside those who signed the same before.
     *
     * @param again whether signatures of something else may be replaced
     * @return what was done, for people
     */
    public String sign(
            ManifestReleaseConverter.SignerDecidedTerms terms,
            List<SigningKey> people,
            boolean again) {
        requireSizes();
        try {
            Envelope envelope =
                    ManifestReleaseConverter.toRelease(manifest, terms).toUnsignedEnvelope();
            Optional<Envelope> before = again ? Optional.empty() : readRelease();
            if (before.isPresent() && !before.get().hasSamePayload(envelope)) {
                throw new UserFacingError(
                        releaseFile
                                + " signs something else: look what, then pass --anew, and all who"
                                + " signed sign again.");
            }
            Envelope signed = before.orElse(envelope);
            for (SigningKey one : people) {
                signed = signed.withSignature(one);
            }
            AtomicFileWriter.write(releaseFile, new String(signed.bytes(), StandardCharsets.UTF_8));
            return releaseFile
                    + ": release "
                    + terms.releaseNumber()
                    + ", "
                    + manifest.binary()
                    + " "
                    + manifest.targetVersion()
                    + " until "
                    + terms.expires()
                    + ", signed by "
                    + formatKeyIds(signed.claimedSigners().stream())
                    + ".";
        } catch (NotTrusted e) {
            throw new UserFacingError(e.sentence(), e);
        }
    }

    /** A signed length bounds the download (E4); an image is bounded by its digest. */
    private void requireSizes() {
        Stream.concat(
                        manifest.defaultArtifact().stream(),
                        manifest.platformArtifacts().values().stream())
                .filter(artifact -> artifact.size() == 0 && artifact.url().contains("://"))
                .findFirst()
                .map(Artifact::url)
                .ifPresent(
                        url -> {
                            throw new UserFacingError(
                                    "The manifest does not say how large "
                                            + url
                                            + " is: add target_size (or size), for a signed length"
                                            + " bounds every download.");
                        });
    }

    /**
     * Verifies the release beside the manifest, as a node would.
     *
     * @param seen highest counter that nodes have seen; 0 when that does not matter
     * @return what is right, for people
     * @throws UserFacingError with the sentence that a node would say
     */
    public String verify(TrustRootFile trust, long seen, Instant now) {
        if (!Files.exists(releaseFile)) {
            throw new UserFacingError(
                    "Nobody signed "
                            + file
                            + ": there is no "
                            + releaseFile.getFileName()
                            + " (unsigned).");
        }
        byte[] envelope = KeyFiles.readBytes(releaseFile, ManifestReleaseConverter.LARGEST);
        try {
            Root root = trust.readVerifiedRoot();
            ReleaseVerifier.VerifiedRelease verified = ReleaseVerifier.verify(envelope, root, now);
            Release release = verified.release();
            ManifestReleaseConverter.difference(envelope, manifest)
                    .ifPresent(
                            why -> {
                                throw new UserFacingError(
                                        "The release beside "
                                                + file
                                                + " is not that of the manifest: "
                                                + why
                                                + " (mix-and-match).");
                            });
            ReleaseVerifier.requireNoDowngrade(
                    release, new ReleaseWatermark(seen, release.version().value(), 0));
            return "%s is good: release %d, signed by %d of %d keys (%s), until %s."
                    .formatted(
                            file,
                            release.releaseNumber(),
                            verified.signers().size(),
                            root.releases().keys().size(),
                            formatKeyIds(verified.signers().stream().sorted()),
                            release.expires());
        } catch (NotTrusted e) {
            throw new UserFacingError(e.sentence(), e);
        }
    }

    private static String formatKeyIds(Stream<Digest> keys) {
        return keys.map(Digest::shortHex).collect(Collectors.joining(", "));
    }
}
