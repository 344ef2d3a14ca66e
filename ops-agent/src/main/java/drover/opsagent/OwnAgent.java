package drover.opsagent;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.own.AgentCommand;
import drover.opsagent.own.Itself;
import drover.opsagent.own.JarSelfTest;
import drover.opsagent.own.OwnJarFile;
import drover.opsagent.own.ProcessSuccessors;
import drover.opsagent.own.Successors;
import drover.opsagent.own.Versions;
import drover.opsagent.own.VersionsLock;
import drover.opsagent.runtime.Processes;
import drover.opsagent.script.AgentVersion;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.Journal;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.script.Work;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.systemd.SystemctlUnits;
import drover.opsagent.systemd.SystemdSuccessors;
import drover.opsagent.time.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** This very process as something that can be replaced; and its other versions. */
final class OwnAgent {
    private OwnAgent() {}

    /** What the agent is to itself, by the jar that it was started from. */
    static Itself of(AgentFlags flags, OpsAgent.Parts parts) {
        @Nullable OwnJarFile jar = OwnJarFile.find();
        return jar == null ? new Itself.Part() : ownJar(jar, flags, parts);
    }

    private static Itself ownJar(OwnJarFile jar, AgentFlags flags, OpsAgent.Parts parts) {
        Versions versions =
                new Versions(
                        jar.versions(),
                        new DurableFiles(parts.disk(), parts.random()),
                        parts.fetcher());
        Processes processes = parts.processes();
        Processes.Pid self = processes.identify(ProcessHandle.current().pid());
        AgentCommand command = AgentCommand.of(java(), commandLine());
        return new Itself.OwnJar(
                jar.version(),
                jar.place(),
                parts.disk().digest(jar.path()),
                processes.bootId() + ":" + self.number() + ":" + self.startTicks(),
                () -> processes.upFor(self),
                versions,
                successors(flags, parts, command, versions, self.number()),
                new JarSelfTest(command, flags.state().resolve("self-test.log")),
                flags.handOverPatience());
    }

    private static Successors successors(
            AgentFlags flags,
            OpsAgent.Parts parts,
            AgentCommand command,
            Versions versions,
            long self) {
        return switch (flags.successors()) {
            case "systemd" -> new SystemdSuccessors(new SystemctlUnits(parts.ticker()), self);
            case "process" ->
                    new ProcessSuccessors(
                            parts.processes(), parts.ticker(), command, versions, flags.state());
            default ->
                    throw new IllegalArgumentException(
                            "--successors is process or systemd, not '"
                                    + flags.successors()
                                    + "'.");
        };
    }

    private static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    private static List<String> commandLine() {
        try {
            byte[] words = Files.readAllBytes(Path.of("/proc/self/cmdline"));
            String all = new String(words, StandardCharsets.UTF_8); // each word ends with a zero
            return List.of(all.substring(0, all.length() - 1).split("\0", -1));
        } catch (IOException e) {
            throw new UncheckedIOException("This agent's command line cannot be read", e);
        }
    }

    /**
     * Removes old versions, because somebody on the node says so.
     *
     * @return what was done, in one sentence
     * @throws IllegalStateException with one sentence, when nothing may be removed now
     */
    static String pruneVersions(AgentFlags flags) {
        @Nullable OwnJarFile jar = OwnJarFile.find();
        if (jar == null) {
            throw new IllegalStateException(
                    "This agent does not run from a directory of versions: start the jar in it.");
        }
        DurableFiles files = new DurableFiles(new LocalDisk(), new SecureRandom());
        Versions versions = new Versions(jar.versions(), files, OwnAgent::noFetching);
        // An attempt that begins after this look finds what is left when it swaps the link.
        try (VersionsLock _ = versions.lockToRemove()) {
            requireNoReplacement(new StateDirectory(flags.state(), files));
            return told(versions.prune(flags.versionsToKeep(), Set.of(jar.place())));
        }
    }

    private static void requireNoReplacement(StateDirectory state) {
        @Nullable Journal latest = new JournalStore(state).latest();
        if (latest != null
                && !latest.isOver()
                && latest.assignment().work() instanceof Work.AgentUpgrade) {
            throw new IllegalStateException(
                    "The agent is being replaced: prune its versions when that is over.");
        }
    }

    private static String told(List<AgentVersion> gone) {
        return gone.isEmpty()
                ? "No version was removed."
                : "Removed: "
                        + gone.stream()
                                .map(AgentVersion::toString)
                                .collect(Collectors.joining(", "))
                        + ".";
    }

    private static void noFetching(
            Artifact artifact, Disk.DiskFile into, Deadline deadline, IntConsumer percent) {
        throw new FetchFailed(
                ReasonCode.DOWNLOAD_REFUSED, "Nothing is fetched to remove versions.");
    }
}
