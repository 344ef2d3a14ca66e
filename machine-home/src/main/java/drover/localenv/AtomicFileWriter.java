package drover.localenv;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Small files that are whole or absent, whatever happens while they are written. */
public final class AtomicFileWriter {
    private static final FileAttribute<Set<PosixFilePermission>> FOR_ALL =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"));
    private static final FileAttribute<Set<PosixFilePermission>> FOR_OWNER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private AtomicFileWriter() {}

    /** Replaces a file by this text. */
    public static void write(Path file, String text) {
        write(file, text, FOR_ALL);
    }

    /** Replaces a file by this text, which its owner alone may read from the first byte on. */
    public static void writeSecret(Path file, String text) {
        write(file, text, FOR_OWNER);
    }

    private static void write(
            Path file, String text, FileAttribute<Set<PosixFilePermission>> mode) {
        Path staged = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.deleteIfExists(staged); // left by a crash
            Files.createFile(staged, mode);
            try (FileChannel channel = FileChannel.open(staged, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UserFacingError(
                    "The file "
                            + file
                            + " cannot be written; check that the disk has room and that you may"
                            + " write there.",
                    e);
        }
    }
}
