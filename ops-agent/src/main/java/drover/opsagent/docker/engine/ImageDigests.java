package drover.opsagent.docker.engine;

import drover.model.Digest;
import drover.model.MalformedValue;
import drover.model.program.PinnedImageRule;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Tells the digest that an image is pinned by: what a manifest calls its checksum. */
public final class ImageDigests {
    private ImageDigests() {}

    /**
     * The digest of what a container runs. A container that was made of a pinned name says it
     * itself: the engine resolved that name once and for all. For others it is the digest that
     * their image was got under, of the name that the container knows it by if there are several.
     * An image that was never got from a registry has none: then it is the image's id, which no
     * manifest names.
     */
    public static Digest of(Container container, Optional<Image> image) {
        Optional<Digest> pinned = findPinned(container.imageName());
        if (pinned.isPresent()) {
            return pinned.get();
        }
        String repository = repositoryName(container.imageName());
        List<String> pins = image.map(Image::pinnedNames).orElse(List.of());
        return pins.stream()
                .sorted(
                        Comparator.comparing(
                                        (String pin) -> !repositoryName(pin).equals(repository))
                                .thenComparing(Comparator.naturalOrder()))
                .flatMap(pin -> findPinned(pin).stream())
                .findFirst()
                .orElseGet(() -> new Digest(container.imageId()));
    }

    /** The digest in {@code name@sha256:…}; none in a tag. */
    public static Optional<Digest> findPinned(String name) {
        if (!PinnedImageRule.isPinned(name)) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Digest(name.substring(name.indexOf('@') + 1)));
        } catch (MalformedValue _) {
            return Optional.empty();
        }
    }

    /** Whether the engine has this image under this digest. */
    public static boolean hasDigest(Image image, Digest digest) {
        return image.pinnedNames().stream().anyMatch(pin -> pin.endsWith("@" + digest.value()));
    }

    /** The name without digest and tag. */
    public static String repositoryName(String name) {
        int at = name.indexOf('@');
        String plain = at < 0 ? name : name.substring(0, at);
        int colon = plain.lastIndexOf(':');
        return colon > plain.lastIndexOf('/') ? plain.substring(0, colon) : plain;
    }

    /** The registry that a name is got from; the engine's own when it names none. */
    public static String registryHost(String name) {
        String repository = repositoryName(name);
        int slash = repository.indexOf('/');
        String first = slash < 0 ? "" : repository.substring(0, slash);
        boolean host = first.contains(".") || first.contains(":") || first.equals("localhost");
        return host ? first : "docker.io";
    }
}
