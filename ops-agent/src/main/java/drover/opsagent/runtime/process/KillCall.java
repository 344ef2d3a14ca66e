package drover.opsagent.runtime.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import drover.model.program.StopSignal;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The system call kill(2): {@link ProcessHandle} sends SIGTERM and SIGKILL only. */
@SuppressWarnings("restricted") // whoever starts an agent allows it calls of the C library
final class KillCall {
    private static final MethodHandle KILL =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("kill"),
                            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));

    private KillCall() {}

    /** Sends the signal. A process that has just ended, or is another user's, stays as it is. */
    static void send(long process, StopSignal signal) {
        try {
            var _ = (int) KILL.invokeExact(Math.toIntExact(process), number(signal));
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of the C library throws nothing
        }
    }

    /** Number of the signal on Linux, equal on x86-64 and AArch64. */
    private static int number(StopSignal signal) {
        return switch (signal) {
            case HUP -> 1;
            case INT -> 2;
            case QUIT -> 3;
            case USR1 -> 10;
            case USR2 -> 12;
            case TERM -> 15;
        };
    }
}
