package drover.opsagent.runtime.process;

import drover.model.Digest;
import drover.model.program.StopSignal;
import drover.opsagent.runtime.Processes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/** Hands everything on to other processes; a test says what is different. */
abstract class ForwardingProcesses implements Processes {
    private final Processes processes;

    /** Over these processes. */
    protected ForwardingProcesses(Processes processes) {
        this.processes = processes;
    }

    @Override
    public boolean trimLogAndDetectDeletion(Path log, Pid first) {
        return processes.trimLogAndDetectDeletion(log, first);
    }

    @Override
    public String bootId() {
        return processes.bootId();
    }

    @Override
    public Pid spawn(LaunchRequest order) {
        return processes.spawn(order);
    }

    @Override
    public boolean isAlive(Pid pid) {
        return processes.isAlive(pid);
    }

    @Override
    public Pid identify(long number) {
        return processes.identify(number);
    }

    @Override
    public List<Pid> findRunProcesses(String marker, Pid first) {
        return processes.findRunProcesses(marker, first);
    }

    @Override
    public List<ObservedProcess> listInspectable() {
        return processes.listInspectable();
    }

    @Override
    public OptionalInt exitCode(Pid pid) {
        return processes.exitCode(pid);
    }

    @Override
    public void terminate(Pid pid, StopSignal signal) {
        processes.terminate(pid, signal);
    }

    @Override
    public void kill(Pid pid) {
        processes.kill(pid);
    }

    @Override
    public Digest executableDigest(Pid pid) {
        return processes.executableDigest(pid);
    }

    @Override
    public String executablePath(Pid pid) {
        return processes.executablePath(pid);
    }

    @Override
    public Duration upFor(Pid pid) {
        return processes.upFor(pid);
    }
}
