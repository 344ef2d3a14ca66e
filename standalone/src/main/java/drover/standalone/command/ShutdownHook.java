package drover.standalone.command;

import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequest;
import drover.standalone.StandaloneDeployment;
import drover.standalone.command.InterruptConfirmation.Effect;
import drover.standalone.command.InterruptConfirmation.Extent;
import drover.standalone.fleet.AgentlessProgramStopper;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends the mesh when the process is asked to end (Ctrl-C, SIGTERM), also when that happens in the
 * middle of its start: then the start is waited for, so that nothing that it began is left behind.
 */
final class ShutdownHook {
    private final ReentrantLock starting = new ReentrantLock();
    private volatile @Nullable StandaloneDeployment
            standalone; // null before it has started and after a failed start

    private final DataDirectory data;
    private final Consumer<String> output;
    private final Runnable afterwards;

    ShutdownHook(DataDirectory data, Consumer<String> output, Runnable afterwards) {
        this.data = data;
        this.output = output;
        this.afterwards = afterwards;
    }

    /**
     * From now on, the end of this process ends the mesh.
     *
     * @param output prints a line
     * @param afterwards what is done last
     */
    static ShutdownHook install(DataDirectory data, Consumer<String> output, Runnable afterwards) {
        ShutdownHook end = new ShutdownHook(data, output, afterwards);
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

    /** What the end of this process stops now. */
    Effect describeEffect() {
        boolean kept = KeepProgramsRequest.isForThisProcess(data);
        StandaloneDeployment running = standalone;
        if (running != null) {
            return describeEffect(running, kept);
        }
        int programs = kept ? 0 : AgentlessProgramStopper.processesOf(data.existingNodes()).size();
        return programs == 0
                ? Effect.NONE
                : new Effect(
                        Extent.PROGRAMS, "stops " + AgentlessProgramStopper.describe(programs));
    }

    /** Counts nodes that were left out, too: their programs are stopped with the others. */
    private static Effect describeEffect(StandaloneDeployment running, boolean kept) {
        long own = running.nodes().stream().filter(node -> !node.externalAgent()).count();
        String programs = "the programs of " + (own == 1 ? "1 node" : own + " nodes");
        return kept
                ? new Effect(Extent.SERVICES, "stops the services; " + programs + " keep running")
                : new Effect(Extent.SERVICES_AND_PROGRAMS, "stops the services and " + programs);
    }

    private void stop() {
        if (!starting.tryLock()) {
            output.accept("Drover stops when its start has ended.");
            starting.lock();
        }
        try {
            StandaloneDeployment running = standalone;
            if (running != null) {
                running.close();
            }
            afterwards.run();
        } finally {
            starting.unlock();
        }
    }
}
