package drover.opsagent.runtime;

import drover.model.Digest;
import drover.model.program.StopSignal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The processes of this machine. */
public interface Processes {
    /** Environment variable that marks every process of a run. */
    String MARKER = "DROVER_RUN";

    /**
     * A process that cannot be mistaken for a later one of the same number.
     *
     * @param startTicks when it started, in the kernel's ticks since boot
     */
    record Pid(long number, long startTicks) {
        /** No process. */
        public static final Pid NONE = new Pid(0, 0);
    }

    /**
     * How a process is started.
     *
     * @param program the program file, whatever the command line begins with
     * @param marker unique name of the run
     */
    record LaunchRequest(
            Path program,
            List<String> command,
            Map<String, String> environment,
            Path workingDirectory,
            Path log,
            String marker) {
        public LaunchRequest {
            command = List.copyOf(command);
            environment = Map.copyOf(environment);
        }
    }

    /**
     * Keeps a program's output file within bounds while the program runs.
     *
     * @param first process of the run that writes it
     * @return whether the file was deleted under the program, which still writes into it
     */
    boolean trimLogAndDetectDeletion(Path log, Pid first);

    /** Names this boot of the machine. */
    String bootId();

    /** Starts a process in a session of its own; its output goes to the log file. */
    Pid spawn(LaunchRequest order);

    /** Whether it is there. */
    boolean isAlive(Pid pid);

    /** The process that has this number now; {@link Pid#NONE} when there is none. */
    Pid identify(long number);

    /** Every process of the run, by its marker or the session of its first process. */
    List<Pid> findRunProcesses(String marker, Pid first);

    /**
     * A process as it can be seen from outside.
     *
     * @param isSessionLeader whether it leads a session of its own, which tells its children from
     *     others
     * @param program name of the executable that it runs
     * @param environment as it was started with
     * @param user whose it is; empty when that cannot be told
     */
    record ObservedProcess(
            Pid pid,
            boolean isSessionLeader,
            String program,
            List<String> command,
            Map<String, String> environment,
            String user) {
        public ObservedProcess {
            command = List.copyOf(command);
            environment = Map.copyOf(environment);
        }
    }

    /** Every process whose executable may be looked at. */
    List<ObservedProcess> listInspectable();

    /**
     * Exit code of a process that has ended; 128 plus the signal if a signal ended it. Empty while
     * it runs, and for a process that this agent did not start.
     */
    OptionalInt exitCode(Pid pid);

    /** Sends it the signal that asks it to end. */
    void terminate(Pid pid, StopSignal signal);

    /** Ends it. */
    void kill(Pid pid);

    /**
     * Digest of the very executable that it runs.
     *
     * @throws ExitedBeforeInspection when it has just ended
     * @throws NotInspectable when the system does not let the agent read it
     */
    Digest executableDigest(Pid pid);

    /**
     * The name of the executable that it runs now: another one as soon as it becomes another
     * program.
     *
     * @throws ExitedBeforeInspection when it has just ended
     * @throws NotInspectable when the system does not let the agent read it
     */
    String executablePath(Pid pid);

    /** How long it has been up. */
    Duration upFor(Pid pid);

    /** The process has just ended. */
    final class ExitedBeforeInspection extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Names it. */
        public ExitedBeforeInspection(Pid pid) {
            super("Process " + pid.number() + " has ended");
        }
    }

    /**
     * The system does not let the agent read what a process executes. The process runs: as another
     * user, or with capabilities that the agent does not have.
     */
    final class NotInspectable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Names the process. */
        public NotInspectable(Pid pid) {
            super(
                    "The agent may not inspect process "
                            + pid.number()
                            + ": run the agent as root, or set identity: file for the program");
        }
    }

    /** The process could not be started. */
    final class SpawnFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Says why. */
        public SpawnFailed(String why, @Nullable Throwable cause) {
            super(why, cause);
        }
    }
}
