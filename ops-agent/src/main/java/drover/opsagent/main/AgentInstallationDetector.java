package drover.opsagent.main;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadTarget;
import drover.opsagent.fetch.FetchFailed;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.runtime.Processes;
import drover.opsagent.selfupgrade.AgentCommandLine;
import drover.opsagent.selfupgrade.AgentPackaging;
import drover.opsagent.selfupgrade.AgentVersionNumber;
import drover.opsagent.selfupgrade.AgentVersionsDirectory;
import drover.opsagent.selfupgrade.AgentVersionsLock;
import drover.opsagent.selfupgrade.JarSelfTestRunner;
import drover.opsagent.selfupgrade.ProcessSuccessorAgents;
import drover.opsagent.selfupgrade.RunningJar;
import drover.opsagent.selfupgrade.SuccessorAgents;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.systemd.SystemctlUnits;
import drover.opsagent.systemd.SystemdSuccessorAgents;
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
final class AgentInstallationDetector {
    private AgentInstallationDetector() {}

    /** What the agent is to itself, by the jar that it was started from. */
    static AgentPackaging detect(AgentFlags flags, OpsAgent.Dependencies parts) {
        @Nullable RunningJar jar = RunningJar.find();
        return jar == null
                ? new AgentPackaging.Embedded()
                : createOwnJarInstallation(jar, flags, parts);
    }

    private static AgentPackaging createOwnJarInstallation(
            RunningJar jar, AgentFlags flags, OpsAgent.Dependencies parts) {
        AgentVersionsDirectory versions =
                new AgentVersionsDirectory(
                        jar.versionsDirectory(),
                        new DurableFiles(parts.disk(), parts.random()),
                        parts.fetcher());
        Processes processes = parts.processes();
        Processes.Pid self = processes.identify(ProcessHandle.current().pid());
        AgentCommandLine command = AgentCommandLine.of(javaExecutable(), readCommandLine());
        return new AgentPackaging.SelfUpgradable(
                jar.version(),
                jar.directoryVersion(),
                parts.disk().digest(jar.path()),
                processes.bootId() + ":" + self.number() + ":" + self.startTicks(),
                () -> processes.upFor(self),
                versions,
                createSuccessors(flags, parts, command, versions, self.number()),
                new JarSelfTestRunner(command, flags.stateDirectory().resolve("self-test.log")),
                flags.handoverTimeout());
    }

    private static SuccessorAgents createSuccessors(
            AgentFlags flags,
            OpsAgent.Dependencies parts,
            AgentCommandLine command,
            AgentVersionsDirectory versions,
            long self) {
        return switch (flags.successorLauncher()) {
            case "systemd" -> new SystemdSuccessorAgents(new SystemctlUnits(parts.ticker()), self);
            case "process" ->
                    new ProcessSuccessorAgents(
                            parts.processes(),
                            parts.ticker(),
                            command,
                            versions,
                            flags.stateDirectory());
            default ->
                    throw new IllegalArgumentException(
                            "--successors is process or systemd, not '"
                                    + flags.successorLauncher()
                                    + "'.");
        };
    }

    private static Path javaExecutable() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    private static List<String> readCommandLine() {
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
        @Nullable RunningJar jar = RunningJar.find();
        if (jar == null) {
            throw new IllegalStateException(
                    "This agent does not run from a directory of versions: start the jar in it.");
        }
        DurableFiles files = new DurableFiles(new LocalDisk(), new SecureRandom());
        AgentVersionsDirectory versions =
                new AgentVersionsDirectory(
                        jar.versionsDirectory(), files, AgentInstallationDetector::refuseFetch);
        // An attempt that begins after this look finds what is left when it swaps the link.
        try (AgentVersionsLock _ = versions.lockForRemoval()) {
            requireNoOpenAgentUpgrade(new StateDirectory(flags.stateDirectory(), files));
            return resultMessage(
                    versions.prune(flags.versionsToRetain(), Set.of(jar.directoryVersion())));
        }
    }

    private static void requireNoOpenAgentUpgrade(StateDirectory state) {
        @Nullable Journal latest = new JournalStore(state).loadLatest();
        if (latest != null
                && !latest.hasEnded()
                && latest.assignment().work() instanceof Work.AgentUpgrade) {
            throw new IllegalStateException(
                    "The agent is being replaced: prune its versions when that is over.");
        }
    }

    private static String resultMessage(List<AgentVersionNumber> removed) {
        return removed.isEmpty()
                ? "No version was removed."
                : "Removed: "
                        + removed.stream()
                                .map(AgentVersionNumber::toString)
                                .collect(Collectors.joining(", "))
                        + ".";
    }

    private static void refuseFetch(
            Artifact artifact, DownloadTarget into, Deadline deadline, IntConsumer percent) {
        throw new FetchFailed(
                ReasonCode.DOWNLOAD_REFUSED, "Nothing is fetched to remove versions.");
    }
}
