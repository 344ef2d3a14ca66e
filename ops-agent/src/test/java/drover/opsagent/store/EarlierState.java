package drover.opsagent.store;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What an agent of an earlier version left on a disk ({@code state-8a38980e/README.md}), copied to
 * where a test may use it. The places and owners of the machine that wrote it are replaced.
 */
public final class EarlierState {
    private static final String RESOURCES = "/state-8a38980e/";

    private EarlierState() {}

    /** Copies one directory of the resources, for example {@code loft-1}. */
    public static void copy(String name, Path target) throws IOException {
        Path source = resource(name);
        try (Stream<Path> found = Files.walk(source)) {
            for (Path path : found.toList()) {
                Path copied = target.resolve(source.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(copied);
                } else {
                    Files.write(copied, Files.readAllBytes(path));
                    localize(copied, target);
                }
            }
        }
    }

    /** The owner's file with the root of trust that the agent of the state pinned. */
    public static Path copyRoot(Path directory) throws IOException {
        Path copied = directory.resolve("root.json");
        Files.write(copied, Files.readAllBytes(resource("root.json")));
        Files.setPosixFilePermissions(copied, PosixFilePermissions.fromString("rw-r--r--"));
        return copied;
    }

    /** The directory as an agent opens it. */
    public static StateDirectory open(Path state) {
        return new StateDirectory(state, new DurableFiles(new LocalDisk(), new Random(1)));
    }

    private static void localize(Path file, Path target) throws IOException {
        if (file.toString().endsWith(".json")) {
            PosixFileAttributes owner = Files.readAttributes(target, PosixFileAttributes.class);
            String text =
                    Files.readString(file)
                            .replace("@ARTIFACTS@", target + "/artifacts")
                            .replace("@OWNER@", owner.owner().getName())
                            .replace("@GROUP@", owner.group().getName());
            Files.write(file, text.getBytes(StandardCharsets.UTF_8));
        }
        boolean program = file.endsWith("opt/loft/loft");
        Files.setPosixFilePermissions(
                file, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
    }

    private static Path resource(String name) {
        try {
            return Path.of(
                    Objects.requireNonNull(EarlierState.class.getResource(RESOURCES + name), name)
                            .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
