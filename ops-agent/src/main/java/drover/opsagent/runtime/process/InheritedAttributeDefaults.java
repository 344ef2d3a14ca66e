package drover.opsagent.runtime.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Attributes of the agent's process that every program inherits: umask and ignored signals. Both
 * get defined values, so that a program does not depend on how the agent was started. The JDK
 * itself starts programs with an empty signal mask.
 */
@SuppressWarnings("restricted") // the command line of an agent allows calls of the C library
final class InheritedAttributeDefaults {
    /** Files that a program creates are readable for all and writable for their owner. */
    private static final int UMASK = 0022;

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String IGNORED_SIGNALS = "SigIgn:";
    private static final Linker LINKER = Linker.nativeLinker();

    private InheritedAttributeDefaults() {}

    /** Sets umask and signals of this process. Files of the agent have explicit modes. */
    static void setDefaults() {
        setUmask();
        stopIgnoringSignals();
    }

    private static void setUmask() {
        MethodHandle umask =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("umask"),
                        FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        try {
            int _ = (int) umask.invokeExact(UMASK);
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }

    /**
     * Replaces "ignored" by a handler that does nothing. The agent still survives the signal, for
     * example the hangup after {@code nohup}; a started program gets the default, because the
     * kernel resets handlers, but not ignored signals, when a process becomes another program.
     */
    private static void stopIgnoringSignals() {
        MethodHandle signal =
                LINKER.downcallHandle(
                        LINKER.defaultLookup().findOrThrow("signal"),
                        FunctionDescriptor.of(ADDRESS, JAVA_INT, ADDRESS));
        // abs() takes a signal number, returns another number, and has no effect.
        MemorySegment noEffect = LINKER.defaultLookup().findOrThrow("abs");
        long ignored = readIgnoredSignals();
        for (int number = 1; number <= Long.SIZE; number++) {
            if ((ignored >>> (number - 1) & 1) == 1) {
                try {
                    // Refused for the two signals that the C library needs itself.
                    MemorySegment _ = (MemorySegment) signal.invokeExact(number, noEffect);
                } catch (Throwable e) {
                    throw new IllegalStateException(e); // a call of the C library throws nothing
                }
            }
        }
    }

    /** One bit for each signal, the lowest for signal 1. */
    private static long readIgnoredSignals() {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(IGNORED_SIGNALS))
                    .map(line -> line.substring(IGNORED_SIGNALS.length()).strip())
                    .mapToLong(mask -> Long.parseUnsignedLong(mask, 16))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0; // without /proc no program can be supervised, which its first use reports
        }
    }
}
