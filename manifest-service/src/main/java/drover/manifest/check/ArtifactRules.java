package drover.manifest.check;

import drover.model.Digest;
import drover.model.PinnedImage;
import drover.model.RuntimeName;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads the address and checksum of artifacts (creation rules 1 to 3). */
final class ArtifactRules {
    private static final Digest STAND_IN = new Digest("sha256:" + "0".repeat(64));
    private static final Pattern DOWNLOAD =
            Pattern.compile("(?:https?://[^\\s/?#]+(?:[/?#]\\S*)?|file:/\\S+)");
    private static final int LONGEST_URL = 2_000;
    private static final long LARGEST = 1L << 40; // 1 TiB: a slip of the pen, not a program

    private ArtifactRules() {}

    static Artifact read(
            Reader reader, String url, String checksum, String size, Problems problems) {
        Artifact artifact = readUnsized(reader, url, checksum, problems);
        return new Artifact(
                artifact.url(),
                artifact.checksum(),
                Numbers.read(reader, size, 0, 1, LARGEST, problems));
    }

    static Artifact readUnsized(Reader reader, String url, String checksum, Problems problems) {
        return new Artifact(url(reader, url, problems), checksum(reader, checksum, problems), 0);
    }

    private static String url(Reader reader, String key, Problems problems) {
        String url = reader.required(key);
        if (url.isEmpty()
                || (isWellFormed(url) && (isDownload(url) || PinnedImage.isNamedBy(url)))) {
            return url;
        }
        problems.add(
                reader.placeOf(key),
                ProblemCode.MALFORMED_URL,
                "'"
                        + Reader.shortened(url)
                        + "' cannot be fetched: write an http, https or file address, or an image"
                        + " pinned by '@sha256:' and 64 hexadecimal digits.");
        return url;
    }

    private static boolean isWellFormed(String url) {
        return url.length() <= LONGEST_URL && url.chars().noneMatch(Character::isISOControl);
    }

    static boolean isDownload(String url) {
        return DOWNLOAD.matcher(url).matches();
    }

    private static Digest checksum(Reader reader, String key, Problems problems) {
        String text = reader.required(key);
        if (text.isEmpty()) {
            return STAND_IN;
        }
        try {
            return new Digest(text);
        } catch (IllegalArgumentException e) {
            problems.add(reader.placeOf(key), ProblemCode.CHECKSUM_NOT_SHA256, Reader.sentence(e));
            return STAND_IN;
        }
    }

    /** Whether this runtime can fetch it; the sentence when it cannot. */
    static Optional<String> unfitFor(RuntimeName runtime, String url) {
        if (runtime.runsImages() && !PinnedImage.isNamedBy(url)) {
            return Optional.of(
                    "Programs of a docker chain are images: pin one by '@sha256:' and its digest.");
        }
        if (runtime.runsFiles() && !isDownload(url)) {
            return Optional.of(
                    "Programs of this chain are files: write an http, https or file address.");
        }
        return Optional.empty();
    }
}
