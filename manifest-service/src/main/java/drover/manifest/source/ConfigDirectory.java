package drover.manifest.source;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The directory of manifests, profiles and templates. Reads nothing outside it, not even through a
 * symbolic link (invariant H11); a link that stays inside is followed, as synchronised folders use
 * them.
 */
public final class ConfigDirectory {
    private final Path root;

    private ConfigDirectory(Path root) {
        this.root = root;
    }

    /**
     * Opens it.
     *
     * @throws ConfigDirectoryMissing when it is not there
     */
    public static ConfigDirectory open(Path directory) {
        try {
            Path root = directory.toRealPath();
            if (!Files.isDirectory(root) || !Files.isReadable(root)) {
                throw new NotDirectoryException(root.toString());
            }
            return new ConfigDirectory(root);
        } catch (IOException e) {
            throw new ConfigDirectoryMissing(directory, e);
        }
    }

    /** The stamp of a file; empty when there is none. */
    public Optional<FileStamp> readStamp(String file) throws IOException {
        try {
            Path inside = resolveInside(file);
            BasicFileAttributes attributes =
                    Files.readAttributes(inside, BasicFileAttributes.class);
            return attributes.isRegularFile()
                    ? Optional.of(FileStamp.of(attributes))
                    : Optional.empty();
        } catch (NoSuchFileException | NotDirectoryException _) {
            return Optional.empty();
        }
    }

    /**
     * The bytes of a file, at most one more than {@link FileLimits#LARGEST_FILE}; empty when there
     * is none.
     */
    public Optional<byte[]> readUpToLimit(String file) throws IOException {
        try {
            Path inside = resolveInside(file);
            if (!Files.isRegularFile(inside, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.empty();
            }
            try (SeekableByteChannel channel =
                    Files.newByteChannel(
                            inside, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
                return Optional.of(
                        Channels.newInputStream(channel).readNBytes(FileLimits.LARGEST_FILE + 1));
            }
        } catch (NoSuchFileException | NotDirectoryException _) {
            return Optional.empty();
        }
    }

    /**
     * The names in a folder that are not hidden, sorted; none when there is no such folder.
     *
     * @throws IOException when the folder or the whole directory cannot be read
     */
    public List<String> listVisibleNames(String folder) throws IOException {
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString()); // unmounted: not the same as deleted
        }
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(resolveInside(folder))) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (!name.startsWith(".") && names.size() < FileLimits.MOST_FILES) {
                    names.add(name);
                }
            }
        } catch (NoSuchFileException | NotDirectoryException _) {
            return List.of();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        Collections.sort(names);
        return names;
    }

    private Path resolveInside(String file) throws IOException {
        Path real = root.resolve(file).normalize().toRealPath();
        if (!real.startsWith(root)) {
            throw new NoSuchFileException(file, null, "it leads out of the directory");
        }
        return real;
    }
}
