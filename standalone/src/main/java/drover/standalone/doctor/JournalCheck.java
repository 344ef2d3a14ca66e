package drover.standalone.doctor;

import drover.localenv.NodeDirectory;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.journal.Journal;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Reads the journals of the nodes on this machine; changes none. */
final class JournalCheck {
    /** All actions, all of the way back, and a margin: what the coordinator waits, doubled. */
    private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(2 * 1_220);

    private JournalCheck() {}

    static List<DoctorFinding> run(List<NodeDirectory> nodes, Instant now) {
        List<DoctorFinding> findings = new ArrayList<>();
        for (NodeDirectory node : nodes) {
            if (Files.isDirectory(node.state().resolve("attempts"))) {
                checkJournal(node, now, findings);
            }
        }
        return findings;
    }

    private static void checkJournal(
            NodeDirectory node, Instant now, List<DoctorFinding> findings) {
        try {
            StateDirectory state =
                    new StateDirectory(
                            node.state(), new DurableFiles(new LocalDisk(), new SecureRandom()));
            JournalStore journals = new JournalStore(state);
            if (journals.hasUnclearedFailedRollback(state.loadAgentRecord().clearedThrough())) {
                findings.add(
                        DoctorFinding.fail(
                                "journals",
                                "Node "
                                        + node.name()
                                        + " could not be brought back (failed_rollback): see"
                                        + " 'Node states' in docs/operations.md."));
            }
            Journal latest = journals.loadLatest();
            if (latest != null && !latest.hasEnded()) {
                checkOpenAttempt(
                        node, state.journals().resolve(latest.attempt() + ".json"), now, findings);
            }
        } catch (IOException | RuntimeException e) {
            findings.add(
                    DoctorFinding.fail(
                            "journals",
                            "The journals of node "
                                    + node.name()
                                    + " cannot be read: look at "
                                    + node.state()
                                    + " and its disk."));
        }
    }

    private static void checkOpenAttempt(
            NodeDirectory node, Path journal, Instant now, List<DoctorFinding> findings)
            throws IOException {
        Duration untouched = Duration.between(Files.getLastModifiedTime(journal).toInstant(), now);
        if (untouched.compareTo(LONGEST_ATTEMPT) > 0) {
            findings.add(
                    DoctorFinding.warn(
                            "journals",
                            "An attempt of node %s is open and untouched for %d minutes: start its agent."
                                    .formatted(node.name(), untouched.toMinutes())));
        }
    }
}
