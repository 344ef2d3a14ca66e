package drover.opsagent.runtime.process;

import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.Processes.ObservedProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Finds the one process that somebody else started as a program, and that the agent could have
 * started itself: with the same command line and environment, as the same user, in a session of its
 * own. Only of such a one it is sure which processes belong to it, and that its next start is like
 * this one.
 */
final class UnmanagedProcessSelector {
    private UnmanagedProcessSelector() {}

    /**
     * Chooses it. Pure.
     *
     * @param file the program's file on this machine
     * @param command as the agent would start it
     * @param environment as the agent would add to it
     * @param user whom the agent runs as
     * @throws ActionFailed when there is none, there are several, or it was started otherwise
     */
    static ObservedProcess find(
            List<ObservedProcess> all,
            LaunchSpec launch,
            Path file,
            List<String> command,
            Map<String, String> environment,
            String user) {
        List<ObservedProcess> running =
                all.stream().filter(it -> runs(it, launch, file, command)).toList();
        if (running.isEmpty()) {
            throw new ActionFailed(
                    ReasonCode.NOT_RUNNING,
                    "No process runs " + file + ": start the program, then adopt it.");
        }
        // What it forked of itself runs the same file in the same session.
        List<ObservedProcess> leading =
                running.stream().filter(ObservedProcess::isSessionLeader).toList();
        if (leading.isEmpty()) {
            throw programRefusedFailure(
                    "Process "
                            + running.getFirst().pid().number()
                            + " leads no session of its own, so what it starts cannot be told from"
                            + " others: start it with setsid.");
        }
        if (leading.size() > 1) {
            throw programRefusedFailure(
                    leading.size()
                            + " processes run "
                            + file
                            + ", the first are "
                            + leading.get(0).pid().number()
                            + " and "
                            + leading.get(1).pid().number()
                            + ": end all but the one that is meant.");
        }
        requireLaunchedAs(leading.getFirst(), command, environment, user);
        return leading.getFirst();
    }

    /** A script's process runs its interpreter: there the command line tells. */
    private static boolean runs(
            ObservedProcess seen, LaunchSpec launch, Path file, List<String> command) {
        return launch.identity() == ProgramDigestSource.FILE
                ? endsWith(seen.command(), command)
                : seen.program().equals(file.toString())
                        || seen.program().equals(file + " (deleted)");
    }

    private static boolean endsWith(List<String> line, List<String> end) {
        int from = line.size() - end.size();
        return from >= 0 && line.subList(from, line.size()).equals(end);
    }

    private static void requireLaunchedAs(
            ObservedProcess seen,
            List<String> command,
            Map<String, String> environment,
            String user) {
        String who = "Process " + seen.pid().number();
        if (!endsWith(seen.command(), command)) {
            throw otherProgramFailure(
                    who
                            + " was started as '"
                            + String.join(" ", seen.command())
                            + "', the profile says '"
                            + String.join(" ", command)
                            + "': correct the profile's arguments.");
        }
        for (Map.Entry<String, String> variable : environment.entrySet()) {
            if (!variable.getValue().equals(seen.environment().get(variable.getKey()))) {
                throw otherProgramFailure(
                        who
                                + " was started without "
                                + variable.getKey()
                                + " as the profile says it: correct the profile's environment.");
            }
        }
        if (!seen.user().equals(user)) {
            throw programRefusedFailure(
                    who
                            + " runs as "
                            + seen.user()
                            + ", and an agent starts programs as itself: run the agent as that"
                            + " user.");
        }
    }

    private static ActionFailed otherProgramFailure(String sentence) {
        return new ActionFailed(ReasonCode.OTHER_PROGRAM, sentence);
    }

    private static ActionFailed programRefusedFailure(String sentence) {
        return new ActionFailed(ReasonCode.PROGRAM_REFUSED, sentence);
    }
}
