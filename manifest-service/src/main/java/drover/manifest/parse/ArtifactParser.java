package drover.manifest.parse;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ProblemCollector;
import drover.model.Digest;
import drover.model.program.DownloadAddress;
import drover.model.program.PinnedImageRule;
import drover.model.program.RuntimeName;
import java.util.Optional;

/** Reads the address and checksum of artifacts (creation rules 1 to 3). */
final class ArtifactParser {
    private static final Digest STAND_IN = new Digest("sha256:" + "0".repeat(64));
    private static final int LONGEST_IMAGE = 2_000;
    private static final long LARGEST = 1L << 40; // 1 TiB: a slip of the pen, not a program

    private ArtifactParser() {}

    static Artifact read(
            FieldReader reader,
            String url,
            String checksum,
            String size,
            ProblemCollector problems) {
        Artifact artifact = readUnsized(reader, url, checksum, problems);
        return new Artifact(
                artifact.url(),
                artifact.checksum(),
                WholeNumberReader.read(reader, size, 0, 1, LARGEST, problems));
    }

    static Artifact readUnsized(
            FieldReader reader, String url, String checksum, ProblemCollector problems) {
        return new Artifact(
                readUrl(reader, url, problems), readChecksum(reader, checksum, problems), 0);
    }

    private static String readUrl(FieldReader reader, String key, ProblemCollector problems) {
        String url = reader.requiredText(key);
        if (url.isEmpty() || (url.length() <= LONGEST_IMAGE && PinnedImageRule.isPinned(url))) {
            return url;
        }
        try {
            DownloadAddress.parse(url);
        } catch (IllegalArgumentException e) {
            problems.add(
                    reader.locationOf(key),
                    ProblemCode.MALFORMED_URL,
                    FieldReader.toSentence(e)
                            + " An image is pinned by '@sha256:' and 64 hexadecimal digits.");
        }
        return url;
    }

    private static Digest readChecksum(FieldReader reader, String key, ProblemCollector problems) {
        String text = reader.requiredText(key);
        if (text.isEmpty()) {
            return STAND_IN;
        }
        try {
            return new Digest(text);
        } catch (IllegalArgumentException e) {
            problems.add(
                    reader.locationOf(key),
                    ProblemCode.CHECKSUM_NOT_SHA256,
                    FieldReader.toSentence(e));
            return STAND_IN;
        }
    }

    /** Whether this runtime can fetch it; the sentence when it cannot. */
    static Optional<String> incompatibility(RuntimeName runtime, String url) {
        if (runtime.runsOnlyImages() && !PinnedImageRule.isPinned(url)) {
            return Optional.of(
                    "Programs of a docker chain are images: pin one by '@sha256:' and its digest.");
        }
        if (runtime.runsOnlyFiles() && !DownloadAddress.isValid(url)) {
            return Optional.of(
                    "Programs of this chain are files: write an http, https or file address.");
        }
        return Optional.empty();
    }
}
