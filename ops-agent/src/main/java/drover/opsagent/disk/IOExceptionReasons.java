package drover.opsagent.disk;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * Which error of the operating system an exception tells of. The JDK drops the error's number and
 * keeps its words, in whatever language the process was started with; so they are compared with
 * those that the C library has for the number in this very process.
 */
@SuppressWarnings("restricted") // whoever starts an agent allows it calls of the C library
final class IOExceptionReasons {
    /** ENOENT. */
    static final int NOT_THERE = 2;

    /** EEXIST. */
    static final int THERE = 17;

    /** ENOTDIR. */
    static final int NO_DIRECTORY = 20;

    /** EOPNOTSUPP. */
    static final int NOT_SUPPORTED = 95;

    private static final int NO_ACCESS = 13; // EACCES
    private static final int NO_SPACE = 28; // ENOSPC
    private static final int NO_QUOTA = 122; // EDQUOT
    private static final int MOST_BYTES = 1024; // far longer than any of them
    private static final MethodHandle WORDS =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("strerror"),
                            FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private IOExceptionReasons() {}

    /** Whether there was no room left, or none that this user may have. */
    static boolean isFull(IOException e) {
        String message = String.valueOf(e.getMessage());
        return message.contains(message(NO_SPACE)) || message.contains(message(NO_QUOTA));
    }

    /** Why a call failed, in the words of the system, without the path. */
    static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException _ -> message(NO_ACCESS);
            case NoSuchFileException _ -> message(NOT_THERE);
            case FileAlreadyExistsException _ -> message(THERE);
            case FileSystemException named when named.getReason() != null -> named.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }

    /** What the C library says of an error, in the language of this process. */
    static String message(int number) {
        try {
            MemorySegment text = (MemorySegment) WORDS.invokeExact(number);
            String bytes = text.reinterpret(MOST_BYTES).getString(0, StandardCharsets.ISO_8859_1);
            // Of any encoding there is; a segment itself knows the standard ones alone.
            return new String(
                    bytes.getBytes(StandardCharsets.ISO_8859_1),
                    Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")));
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }
}
