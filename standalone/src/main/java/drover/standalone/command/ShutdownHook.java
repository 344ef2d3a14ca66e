package drover.standalone.command;

import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequestFile;
import drover.standalone.StandaloneDeployment;
import drover.standalone.command.InterruptConfirmation.Effect;
import drover.standalone.command.InterruptConfirmation.PartsToStop;
import drover.standalone.fleet.AgentlessProgramStopper;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stops the deployment when the process receives SIGINT (Ctrl-C) or SIGTERM. During a start, it
 * first waits until the start has ended, so that everything that was started is stopped.
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
     * Registers a hook that stops the deployment when this process ends.
     *
     * @param output prints a line
     * @param afterwards last step
     */
    static ShutdownHook install(DataDirectory data, Consumer<String> output, Runnable afterwards) {
        ShutdownHook end = new ShutdownHook(data, output, afterwards);
        Runtime.getRuntime().addShutdownHook(new Thread(end::stop, "end-when-asked"));
        return end;
    }

    /** Starts the deployment that the hook stops. */
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

    /** Describes what the end of this process stops at this moment. */
    Effect describeEffect() {
        boolean kept = KeepProgramsRequestFile.isForThisProcess(data);
        StandaloneDeployment running = standalone;
        if (running != null) {
            return describeEffect(running, kept);
        }
        int programs =
                kept
                        ? 0
                        : AgentlessProgramStopper.processesOf(
                                        AgentlessProgramStopper.withoutExternalAgents(
                                                data.existingNodes()))
                                .size();
        return programs == 0
                ? Effect.NONE
                : new Effect(
                        PartsToStop.PROGRAMS,
                        "stops "
                                + AgentlessProgramStopper.describe(programs)
                                + " if the start succeeds");
    }

    /** Counts nodes that were left out, too: their programs are stopped with the others. */
    private static Effect describeEffect(StandaloneDeployment running, boolean kept) {
        long own = running.nodes().stream().filter(node -> !node.externalAgent()).count();
        String programs = "the programs of " + (own == 1 ? "1 node" : own + " nodes");
        return kept
                ? new Effect(
                        PartsToStop.SERVICES, "stops the services; " + programs + " keep running")
                : new Effect(
                        PartsToStop.SERVICES_AND_PROGRAMS, "stops the services and " + programs);
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
