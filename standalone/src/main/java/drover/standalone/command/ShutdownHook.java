package drover.standalone.command;

import drover.standalone.StandaloneDeployment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends the mesh when the process is asked to end (Ctrl-C, SIGTERM), also when that happens in the
 * middle of its start: then the start is waited for, so that nothing that it began is left behind.
 */
final class ShutdownHook {
    private final ReentrantLock starting = new ReentrantLock();
    private @Nullable StandaloneDeployment
            standalone; // null before it has started and after a failed start

    private final Runnable afterwards;

    private ShutdownHook(Runnable afterwards) {
        this.afterwards = afterwards;
    }

    /**
     * From now on, the end of this process ends the mesh.
     *
     * @param afterwards what is done last
     */
    static ShutdownHook install(Runnable afterwards) {
        ShutdownHook end = new ShutdownHook(afterwards);
        Runtime.getRuntime().addShutdownHook(new Thread(end::stop, "end-when-asked"));
        return end;
    }

    /** Starts the mesh that will be ended. */
    StandaloneDeployment startAndTrack(Supplier<StandaloneDeployment> start) {
        starting.lock();
        try {
            StandaloneDeployment running = start.get();
            standalone = running;
            return running;
        } finally {
            starting.unlock();
        }
    }

    private void stop() {
        starting.lock();
        try {
            if (standalone != null) {
                standalone.close();
            }
            afterwards.run();
        } finally {
            starting.unlock();
        }
    }
}
