package drover.opsagent.selfupgrade;

import drover.model.Digest;
import drover.model.program.StopSignal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import drover.opsagent.runtime.Processes.Pid;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Successors as plain processes, each in a session of its own, so that they outlive who started
 * them. They are found again by the marker in their environment: nothing is written down that a
 * crash could leave behind.
 */
public final class ProcessSuccessorAgents implements SuccessorAgents {
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration GRACE = Duration.ofSeconds(15); // an agent closes within ten

    private final Processes processes;
    private final Ticker ticker;
    private final AgentCommandLine command;
    private final AgentVersionsDirectory versions;
    private final Path logs;
    private final Map<AgentVersionNumber, Pid> known = new HashMap<>();

    /**
     * Starts them as this agent was started.
     *
     * @param logs where their output goes; the agent's own directory, which also tells its agents
     *     from those of other nodes on this machine
     */
    public ProcessSuccessorAgents(
            Processes processes,
            Ticker ticker,
            AgentCommandLine command,
            AgentVersionsDirectory versions,
            Path logs) {
        this.processes = processes;
        this.ticker = ticker;
        this.command = command;
        this.versions = versions;
        this.logs = logs;
    }

    @Override
    public synchronized void startUnlessRunning(AgentVersionNumber version, Deadline deadline) {
        if (isAlive(version)) {
            return;
        }
        Path jar = versions.jar(version);
        String marker = marker(version);
        Map<String, String> environment = new HashMap<>();
        environment.put(Processes.MARKER, marker);
        try {
            Pid pid =
                    processes.spawn(
                            new Processes.LaunchRequest(
                                    jar,
                                    command.startCommand(jar),
                                    environment,
                                    Path.of("").toAbsolutePath(),
                                    logs.resolve("agent-" + version.directoryName() + ".log"),
                                    marker));
            known.put(version, pid);
        } catch (Processes.SpawnFailed e) {
            throw new ActionFailed(
                    ReasonCode.SUCCESSOR_FAILED,
                    "The agent's version "
                            + version
                            + " could not be started ("
                            + e.getMessage()
                            + "): look at the node.");
        }
    }

    @Override
    public synchronized boolean isAlive(AgentVersionNumber version) {
        return !find(version).equals(Pid.NONE);
    }

    @Override
    public synchronized void stopUnlessSelf(AgentVersionNumber version, Deadline deadline) {
        Deadline grace = deadline.atMost(GRACE);
        for (Pid pid = find(version); !pid.equals(Pid.NONE); pid = find(version)) {
            if (pid.number() == ProcessHandle.current().pid()) {
                return;
            }
            if (deadline.hasPassed()) {
                throw new ActionFailed(
                        ReasonCode.STOP_FAILED,
                        "The agent's version "
                                + version
                                + " does not end: end process "
                                + pid.number()
                                + " by hand.");
            }
            if (grace.hasPassed()) {
                processes.kill(pid);
            } else {
                processes.terminate(pid, StopSignal.TERM);
            }
            ticker.pause(POLL);
        }
        known.remove(version);
    }

    /** The whole table of processes is looked through only when the one known is gone. */
    private Pid find(AgentVersionNumber version) {
        Pid last = known.getOrDefault(version, Pid.NONE);
        if (processes.isAlive(last)) {
            return last;
        }
        // Those that are marked come first; after them what they started, which is none of ours.
        List<Pid> members = processes.findRunProcesses(marker(version), Pid.NONE);
        Pid found = members.isEmpty() ? Pid.NONE : members.getFirst();
        known.put(version, found);
        return found;
    }

    private String marker(AgentVersionNumber version) {
        return "agent-" + version + "-" + Digest.of(logs.toString()).shortHex();
    }
}
