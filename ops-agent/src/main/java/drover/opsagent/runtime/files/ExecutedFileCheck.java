package drover.opsagent.runtime.files;

import drover.model.Digest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes;
import java.nio.file.Path;

/**
 * The program's file on this machine, to be compared with what a process executes.
 *
 * @param installed digest of what is in it now; empty when it is not there
 */
public record ExecutedFileCheck(LaunchSpec launch, Path file, String installed) {
    /**
     * The digest of what a process executes, once that is proved to be this file.
     *
     * @param what names the process, for people
     * @throws ActionFailed with OTHER_PROGRAM when it executes another one, or this one was
     *     replaced since its start
     */
    public Digest verifyRunningDigest(Processes.Pid main, Processes processes, String what) {
        if (installed.isEmpty()) {
            throw otherProgramFailure(
                    "There is no file " + file + ": correct the program's path in the profile.");
        }
        if (launch.identity() == ProgramDigestSource.FILE) {
            return new Digest(installed);
        }
        String program = processes.executablePath(main);
        if (!program.equals(file.toString())) {
            throw otherProgramFailure(
                    program.equals(file + " (deleted)")
                            ? what
                                    + " runs a file that was replaced since its start: start it"
                                    + " again first."
                            : what
                                    + " runs "
                                    + program
                                    + ", the profile says "
                                    + file
                                    + ": correct the program's path in the profile.");
        }
        Digest running = processes.executableDigest(main);
        if (!running.value().equals(installed)) {
            throw otherProgramFailure(
                    what + " does not run what is in its file now: start it again first.");
        }
        return running;
    }

    private static ActionFailed otherProgramFailure(String sentence) {
        return new ActionFailed(ReasonCode.OTHER_PROGRAM, sentence);
    }
}
