package drover.opsagent.systemd;

import drover.opsagent.disk.Disk;
import drover.opsagent.disk.DiskFailure;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.FileAttributes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A gate that the machine's owner has put up for good: a drop-in that forbids the start while a
 * mark is there. The agent makes and removes the mark and writes no unit file, for whoever writes
 * those is root (H16).
 */
final class StartBlockMarkerGate implements StartGate {
    private final DurableFiles files;
    private final Path units;
    private final Path marks;

    /** Gates of the units in a directory, with marks in another that outlives a reboot. */
    StartBlockMarkerGate(DurableFiles files, Path units, Path marks) {
        this.files = files;
        this.units = units;
        this.marks = marks;
    }

    @Override
    public boolean isClosed(UnitName unit) {
        return files.disk().kind(markerFile(unit)) == Disk.EntryKind.FILE;
    }

    @Override
    public void close(UnitName unit) {
        boolean closed = isClosed(unit);
        files.createDirectories(marks);
        try {
            files.replace(markerFile(unit), new byte[0], FileAttributes.PRIVATE);
        } catch (DiskFailure e) {
            if (!closed) {
                deleteAfterFailure(unit, e);
            }
            throw e;
        }
    }

    /** A rename whose sync failed leaves a marker that prevents a start. */
    private void deleteAfterFailure(UnitName unit, DiskFailure failure) {
        try {
            files.delete(markerFile(unit));
        } catch (DiskFailure e) {
            failure.addSuppressed(e);
        }
    }

    @Override
    public void requireClosable(UnitName unit) {
        files.tryReplacement(markerFile(unit), FileAttributes.PRIVATE, 0);
    }

    @Override
    public void deleteTemporaryFiles(UnitName unit) {
        files.deleteOwnTemporaryFiles(marks);
        files.deleteTrialDirectoriesAbove(marks);
    }

    @Override
    public void open(UnitName unit) {
        files.delete(markerFile(unit));
    }

    @Override
    public String unsupportedReason(UnitName unit, UnitProperties view) {
        Path gate = units.resolve(unit + ".d").resolve(FILE);
        String condition = "ConditionPathExists=!" + markerFile(unit);
        boolean loaded = List.of(view.value("DropInPaths").split(" ")).contains(gate.toString());
        boolean there = loaded && files.disk().kind(gate) == Disk.EntryKind.FILE;
        if (there && readDropInText(gate).lines().anyMatch(condition::equals)) {
            return "";
        }
        return unit
                + " has no gate: let root write '[Unit]' and '"
                + condition
                + "' to "
                + gate
                + " and reload systemd.";
    }

    private String readDropInText(Path gate) {
        return new String(files.disk().readAll(gate), StandardCharsets.UTF_8);
    }

    private Path markerFile(UnitName unit) {
        return marks.resolve(unit.value());
    }
}
