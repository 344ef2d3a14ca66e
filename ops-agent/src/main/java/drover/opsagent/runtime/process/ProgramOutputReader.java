package drover.opsagent.runtime.process;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads the file that a program's output goes to. */
record ProgramOutputReader(Path file, Disk disk) {
    /** Present size in bytes. */
    long size() {
        return disk.kind(file) == Disk.EntryKind.FILE ? disk.size(file) : 0;
    }

    /** Where the output of the next run begins: a large file is moved aside before a start. */
    long nextRunOffset() {
        long size = size();
        return size > ProgramLogTrimmer.LARGEST ? 0 : size;
    }

    /**
     * End of a run's output.
     *
     * @param start where the output of the run begins; a file that is shorter counts whole
     * @param end where it ends; {@link Long#MAX_VALUE} for the end of the file
     * @param bytes at most so many
     * @throws DiskFailure if the file cannot be read
     */
    String tail(long start, long end, int bytes) {
        long to = Math.min(size(), end);
        long from = Math.max(start > to ? 0 : start, to - bytes);
        if (from == to) {
            return "";
        }
        try (InputStream in = disk.read(file)) {
            in.skipNBytes(from);
            return new String(in.readNBytes((int) (to - from)), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new DiskFailure(file + " cannot be read", false, e);
        }
    }
}
