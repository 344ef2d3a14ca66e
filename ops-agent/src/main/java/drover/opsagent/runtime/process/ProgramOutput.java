package drover.opsagent.runtime.process;

import drover.opsagent.disk.Disk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads the file that a program's output goes to. A file that cannot be read counts as empty. */
record ProgramOutput(Path file, Disk disk) {
    /** Present size in bytes. */
    long size() {
        return disk.kind(file) == Disk.Kind.FILE ? disk.size(file) : 0;
    }

    /**
     * End of the output.
     *
     * @param start where the output begins that counts; a file that was trimmed since counts whole
     * @param bytes at most so many
     */
    String tail(long start, int bytes) {
        long size = size();
        long from = Math.max(start > size ? 0 : start, size - bytes);
        if (from == size) {
            return "";
        }
        try (InputStream in = disk.read(file)) {
            in.skipNBytes(from);
            return new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }
}
