package drover.opsagent.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Number of files that a file system still takes (free inodes). The JDK knows bytes alone, so the C
 * library is called.
 */
@SuppressWarnings("restricted") // whoever starts an agent allows it calls of the C library
final class FreeInodeCounter {
    private static final long STATVFS_BYTES = 256; // the structure has 112
    private static final long TOTAL_OFFSET = 40; // f_files, after five long fields
    private static final long FREE_OFFSET = 56; // f_favail
    private static final MethodHandle STATVFS =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("statvfs"),
                            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));

    private FreeInodeCounter() {}

    /** Free inodes for the user of the agent; Long.MAX_VALUE if the file system has no limit. */
    static long count(Path path) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STATVFS_BYTES, Long.BYTES);
            int failed = (int) STATVFS.invokeExact(arena.allocateFrom(path.toString()), found);
            if (failed != 0) {
                throw new IOException("statvfs failed");
            }
            return found.get(JAVA_LONG, TOTAL_OFFSET) == 0
                    ? Long.MAX_VALUE
                    : found.get(JAVA_LONG, FREE_OFFSET);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }
}
