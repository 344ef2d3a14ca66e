package drover.standalone.doctor;

import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.opsagent.runtime.process.LinuxProcesses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Measures this machine. */
final class MachineCheck {
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final int SYNCS = 15; // the median of fewer is chance; more is waiting
    private static final int BLOCK = 4096;

    private MachineCheck() {}

    static List<DoctorFinding> run(DataDirectory data) {
        List<DoctorFinding> findings = new ArrayList<>();
        findings.add(MachineRules.checkJavaVersion(Runtime.version().feature()));
        findings.add(MachineRules.checkSessions(LinuxProcesses.canStartSessions()));
        findings.addAll(DoctorFinding.runCheck("memory", MachineCheck::checkMemory));
        findings.addAll(DoctorFinding.runCheck("disk", () -> checkDisk(data.root())));
        return findings;
    }

    private static List<DoctorFinding> checkMemory() {
        try {
            return Files.readAllLines(MEMORY).stream()
                    .filter(line -> line.startsWith("MemAvailable:"))
                    .map(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                    .map(MachineRules::checkMemory)
                    .toList();
        } catch (IOException e) {
            throw new UserFacingError(
                    "The memory cannot be read from " + MEMORY + ": use Linux.", e);
        }
    }

    /** Looks where the directory is, or where it would be made. */
    private static List<DoctorFinding> checkDisk(Path root) {
        Path there = root;
        while (!Files.isDirectory(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            return List.of(
                    MachineRules.checkDiskSpace(Files.getFileStore(there).getUsableSpace()),
                    MachineRules.checkSyncDuration(measureSync(there)));
        } catch (IOException e) {
            throw new UserFacingError(
                    "Nothing can be written to "
                            + there
                            + ": name a data directory that you may write to with --data.",
                    e);
        }
    }

    private static Duration measureSync(Path folder) throws IOException {
        Path file = Files.createTempFile(folder, ".drover-doctor", "");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            List<Long> nanos = new ArrayList<>();
            for (int i : IntStream.range(0, SYNCS).toArray()) {
                long before = System.nanoTime();
                channel.write(ByteBuffer.allocate(BLOCK), (long) i * BLOCK);
                channel.force(true);
                nanos.add(System.nanoTime() - before);
            }
            return Duration.ofNanos(nanos.stream().sorted().toList().get(SYNCS / 2));
        } finally {
            Files.delete(file);
        }
    }
}
